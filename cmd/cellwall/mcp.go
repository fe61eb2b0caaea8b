package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/mcp"
)

// mcpVerb is "cellwall mcp".
type mcpVerb struct {
	Data      []string `short:"d" sep:"none" placeholder:"FILE" help:"A data file; may be given more than once. The first is df."`
	FetchHost []string `placeholder:"HOST" help:"Let the model fetch data files from this host, outside of the sandbox; may be given more than once."`
	Out       string   `short:"o" placeholder:"DIR" help:"Save what was drawn and written here, too."`

	AllTools    bool          `help:"List every tool at once, for clients that ask for the list once only; what may be called stays the same."`
	Mask        bool          `help:"Mask phone, identity and card numbers and addresses of mail in what the model is told."`
	MaxRuns     int           `default:"500" placeholder:"N" help:"Stop after this many executions (default ${default})."`
	MaxFailures int           `default:"10" placeholder:"N" help:"Stop after this many failures in a row (default ${default})."`
	MaxSame     int           `default:"3" placeholder:"N" help:"Stop after this many failures of one class in a row (default ${default})."`
	MaxTime     time.Duration `default:"1h" placeholder:"1h" help:"Stop when executions have run this long together (default ${default})."`

	Timeout  time.Duration `placeholder:"8s" help:"Wall clock of each program (100ms to 5m, default 8s; 1m for SQL and charts over more than 16 MiB)."`
	Memory   size          `placeholder:"512MiB" help:"Memory of each program (64MiB to 64GiB, default 512MiB; 1GiB for SQL and charts over more than 16 MiB)."`
	Env      string        `placeholder:"NAME" default:"${default_env}" help:"The environment of programs and charts."`
	QueryEnv string        `placeholder:"NAME" default:"python-query" help:"The environment of SQL."`
	Backend  string        `placeholder:"NAME" default:"${default_backend}" help:"The backend."`
	Profile  string        `enum:"default,strict,off" default:"default" help:"Checks before the run, and the restricted interpreter: default, strict or off. The wall is the same in all three."`
	Lang     string        `enum:"en,zh" default:"en" help:"Language of hints and of what the model is told: en or zh."`
	reviewFlags
	AllowDegraded bool `help:"Run although this host cannot enforce a protection."`
}

// Help is the part of the help that shows how it is used.
func (*mcpVerb) Help() string {
	return `Examples:

  cellwall mcp -d sales.csv
  claude mcp add sales -- cellwall mcp -d /data/sales.csv

Speaks the Model Context Protocol on standard input and output, for a client that
starts it: the tools that "cellwall ask" gives a model, on these files. Programs
run in sandboxes, within budgets. Charts and tables are resources.`
}

// Run serves one client until it closes its end.
func (v *mcpVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	limits := cellwall.Limits{Timeout: v.Timeout, MemoryBytes: int64(v.Memory)}
	if err := checkLimits(limits, "mcp"); err != nil {
		return err
	}
	inputs, undo, err := openInputs(v.Data, limits)
	if err != nil {
		return err
	}
	defer undo()
	req := cellwall.Request{Datasets: inputs, Environment: v.Env, Backend: v.Backend, Profile: v.Profile, Language: v.Lang, AllowDegraded: v.AllowDegraded, Limits: limits}
	h, err := p.openHouse(c, houseOptions{
		backend: v.Backend, environment: v.Env, degraded: v.AllowDegraded, review: v.settings(), tune: (&askVerb{Mask: v.Mask}).tune,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := p.warm(ctx, h, req, false); err != nil {
		return err
	}
	if req.Functions, err = h.queryFunctions(v.QueryEnv, v.Lang); err != nil {
		return err
	}
	h.saySQL(p, "mcp", v.QueryEnv)
	box, end, err := h.openTools(req, houseTools{sql: v.QueryEnv, hosts: v.FetchHost}, cellwall.Budget{
		Executions: v.MaxRuns, Failures: v.MaxFailures, SameError: v.MaxSame, Time: v.MaxTime,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	session := mcp.New(mcp.Options{
		Toolbox: newMCPBox(box, h, req, v.Out), Language: box.lang, Every: v.AllTools, NoPictures: v.Mask, Version: thisBuild().Version, Logger: p.logger(),
	})
	defer session.Close()
	err = session.Serve(ctx, &mcp.Lines{In: p.stdin, Out: p.stdout.file})
	if ctx.Err() != nil || err == nil {
		return ctx.Err()
	}
	return fmt.Errorf("serve a client: %w", err)
}
