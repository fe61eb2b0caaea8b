package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// notebookReport is the document of "run NOTEBOOK --json".
type notebookReport struct {
	Notebook string             `json:"notebook"`
	OK       bool               `json:"ok"`
	Cells    []*cellwall.Result `json:"cells"` // of code, in order; those behind a failed one did not run
}

// isNotebook reports whether a file is a notebook by its name.
func isNotebook(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ipynb") }

// runNotebook executes a notebook cell by cell and writes what they left into it.
func (v *runVerb) runNotebook(ctx context.Context, p *program, c *config) (err error) {
	doc, err := readNotebook(v.File)
	if err != nil {
		return err
	}
	req, undo, err := v.notebookRequest()
	if err != nil {
		return err
	}
	defer undo()
	in, at, err := v.notebookSession(ctx, p, c, req)
	if err != nil {
		return err
	}
	defer in.close(&err)
	r := &notebookRun{p: p, session: in, doc: doc, quiet: v.Quiet, silent: v.JSON}
	r.begin(v.Lang)
	if err := doc.Sign(in.receipt()); err != nil {
		return err
	}
	ran := r.all(ctx, &gallery{p: p, house: at, out: v.Out})
	if err := errors.Join(ran, writeNotebook(v.File, doc)); err != nil {
		return err
	}
	if v.JSON {
		err = p.printJSON(notebookReport{Notebook: v.File, OK: r.ok, Cells: r.results})
	} else if !v.Quiet {
		p.stderr.say(plain, "notebook: ", v.File)
	}
	if err != nil {
		return err
	}
	return status(r.exit(ctx))
}

// notebookRequest is request for a session: what was not said of time is what a
// cell has at the terminal.
func (v *runVerb) notebookRequest() (cellwall.Request, func(), error) {
	if v.Code != "" {
		return cellwall.Request{}, nil, usage("read code", errTwoCodes, "give one of them")
	}
	if err := checkOut(v.Out); err != nil {
		return cellwall.Request{}, nil, err
	}
	f := sessionFlags{
		budgetFlags: v.budgetFlags, Data: v.Data, Env: v.Env, Backend: v.Backend, Timeout: v.Timeout, Memory: v.Memory, CPUs: v.CPUs, Pids: v.Pids, Rows: v.Rows,
		Profile: v.Profile, Lang: v.Lang, AllowDegraded: v.AllowDegraded,
	}
	return f.request("run")
}

// notebookSession is where the cells of a notebook run.
type notebookSession interface {
	runCell(context.Context, *notebook.Cell) (*cellwall.Result, error)
	receipt() notebook.Receipt
	beginning() *cellwall.Result // how its inputs were read; nil when that is unknown
	close(*error)
}

// notebookSession opens a session here, or at the service of --server. The house
// has the artifacts of its cells.
func (v *runVerb) notebookSession(ctx context.Context, p *program, c *config, req cellwall.Request) (notebookSession, *house, error) {
	if v.Server != "" {
		if err := v.only("--server"); err != nil {
			return nil, nil, err
		}
		s, err := v.openSessionAt(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		return s, s.house, nil
	}
	o, err := p.openSession(ctx, c, req, v.budget(), v.settings(), v.Quiet || v.JSON)
	if err != nil {
		return nil, nil, err
	}
	return o, o.house, nil
}

func readNotebook(path string) (*notebook.Notebook, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := notebook.Read(f)
	if err != nil {
		return nil, usage("read "+path, err, "a notebook of format 4, as Jupyter writes it")
	}
	if lang := doc.Language(); lang != "" && lang != "python" {
		return nil, usage("read "+path, fmt.Errorf("its language is %.40q", lang), "only Python runs here")
	}
	return doc, nil
}

func writeNotebook(path string, doc *notebook.Notebook) error {
	var content bytes.Buffer
	if err := doc.Write(&content); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return replaceFile(path, content.Bytes())
}
