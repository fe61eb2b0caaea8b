package main

import (
	"context"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// inspectVerb is "cellwall inspect".
type inspectVerb struct {
	File string `arg:"" name:"FILE" help:"CSV, TSV, XLSX, JSON, JSONL or Parquet, also gzipped."`

	Env           string        `placeholder:"NAME" default:"${default_env}" help:"The environment that reads it."`
	Backend       string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	Timeout       time.Duration `placeholder:"8s" help:"Wall clock of reading (100ms to 5m, default 8s)."`
	Memory        size          `placeholder:"512MiB" help:"Memory for reading (64MiB to 64GiB, default 512MiB)."`
	Lang          string        `enum:"en,zh" default:"en" help:"Language of hints: en or zh."`
	AllowDegraded bool          `help:"Read it although this host cannot enforce a protection."`
	JSON          bool          `name:"json" help:"Print the description as one document."`
}

// Help is the part of the help that shows how it is used.
func (*inspectVerb) Help() string {
	return `Examples:

  cellwall inspect sales.csv
  cellwall inspect --json report.xlsx

The file is parsed inside a sandbox, within its limits.`
}

// Run reads the file inside a sandbox and prints what it is.
func (v *inspectVerb) Run(ctx context.Context, p *program, c *config) error {
	req := cellwall.Request{
		Environment: v.Env, Backend: v.Backend, Language: v.Lang, AllowDegraded: v.AllowDegraded,
		Limits: cellwall.Limits{Timeout: v.Timeout, MemoryBytes: int64(v.Memory)},
	}
	if err := checkLimits(req.Limits, "inspect"); err != nil {
		return err
	}
	inputs, undo, err := openInputs([]string{v.File}, req.Limits)
	if err != nil {
		return err
	}
	defer undo()
	req.Datasets = inputs
	h, err := p.openHouse(c, houseOptions{backend: v.Backend, environment: v.Env})
	if err != nil {
		return err
	}
	err = v.describe(ctx, p, h, req)
	return errors.Join(err, h.Close())
}

func (v *inspectVerb) describe(ctx context.Context, p *program, h *house, req cellwall.Request) error {
	if err := p.warm(ctx, h, req, v.JSON); err != nil {
		return err
	}
	r, err := h.controller.Describe(ctx, req)
	if err != nil {
		return err
	}
	if !r.OK || len(r.Datasets) != 1 {
		if ctx.Err() != nil {
			return status(exitInterrupted)
		}
		return notDescribed(v.File, r)
	}
	if v.JSON {
		return p.printJSON(r.Datasets[0])
	}
	p.printDataset(r.Datasets[0])
	return nil
}

// notDescribed says why a file could not be read: the reader's own word, or
// the limit it met.
func notDescribed(path string, r *cellwall.Result) error {
	why := "reading it ended with " + string(r.Status)
	switch {
	case r.OK:
		why = "what the sandbox said about it is not acceptable"
	case r.Error != nil && r.Error.Message != "":
		why = r.Error.Message
	}
	hint := r.Observation.RetryHint
	if hint == "" {
		hint = "check that the file is what its name says, or save it again as CSV or XLSX"
	}
	return &cellwall.Error{Code: cellwall.CodeDatasetUnreadable, Op: "inspect " + path, Err: errors.New(why), Hint: hint}
}
