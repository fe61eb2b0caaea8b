package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
	"github.com/cellwall/cellwall/session"
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
	ran := r.all(ctx, gallery{p: p, house: at, out: v.Out})
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
		budgetFlags: v.budgetFlags, Data: v.Data, Env: v.Env, Backend: v.Backend, Timeout: v.Timeout, Memory: v.Memory, CPUs: v.CPUs, Pids: v.Pids,
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

// notebookRun is a notebook on its way through a session.
type notebookRun struct {
	p       *program
	session notebookSession
	doc     *notebook.Notebook
	quiet   bool     // only what --quiet does not keep back
	silent  bool     // nothing at all
	told    []string // warnings that hold for all cells
	ok      bool
	results []*cellwall.Result
}

// all runs the cells until one fails that is not tagged for it.
func (r *notebookRun) all(ctx context.Context, f gallery) error {
	r.ok, r.results = true, []*cellwall.Result{}
	for _, c := range r.doc.Cells {
		if c.Kind == notebook.Code {
			c.Clear()
		}
	}
	for i, c := range r.doc.Cells {
		if c.Kind != notebook.Code || strings.TrimSpace(c.Source) == "" {
			continue
		}
		result, err := r.session.runCell(ctx, c)
		if err != nil {
			return fmt.Errorf("run cell %d: %w", i+1, err)
		}
		r.results = append(r.results, result)
		failed := !result.OK && !(c.Tagged("raises-exception") && result.Status == cellwall.StatusError)
		if !r.silent && (failed || !r.quiet) {
			r.tell(i+1, result)
		}
		if err := f.artifacts(context.WithoutCancel(ctx), result, r.silent || r.quiet); err != nil {
			return err
		}
		if failed {
			r.ok = false
			return nil
		}
	}
	return nil
}

// runCell runs one cell and puts what it left into the document.
func (o *openedSession) runCell(ctx context.Context, c *notebook.Cell) (*cellwall.Result, error) {
	var kept notebook.Recorder
	result, err := o.Cell(ctx, session.Cell{Code: c.Source}, kept.Sink)
	if err != nil {
		return nil, err
	}
	if result.Status != cellwall.StatusRefused {
		c.Count = o.Info().Cells
	}
	c.Outputs = kept.Outputs(result, c.Count)
	return result, c.Sign(result)
}

// begin says what holds for every cell.
func (r *notebookRun) begin(language string) {
	began := r.session.beginning()
	if r.silent || began == nil {
		return
	}
	r.told = sampleWarnings(began, language)
	r.p.alert(began, language)
}

// tell says how a cell ended.
func (r *notebookRun) tell(number int, result *cellwall.Result) {
	mark := green
	if !result.OK {
		mark = red
	}
	r.p.stderr.say(mark, fmt.Sprintf("cell %d %s", number, result.Status), " in "+roundedMS(result.Usage.WallMS))
	if !result.OK {
		r.p.summarizeFailure(result)
	}
	r.p.sayStop(result)
	for _, w := range result.Warnings {
		if !r.quiet && !slices.Contains(r.told, w) {
			r.p.stderr.say(plain, "warning: ", w)
		}
	}
}

// exit is the status of the whole notebook.
func (r *notebookRun) exit(ctx context.Context) int {
	if r.ok && ctx.Err() == nil {
		return exitOK
	}
	if n := len(r.results); n > 0 {
		return exitOfResult(r.results[n-1], ctx.Err() != nil)
	}
	return exitInterrupted
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
