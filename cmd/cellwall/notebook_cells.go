package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
	"github.com/cellwall/cellwall/session"
)

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
func (r *notebookRun) all(ctx context.Context, f *gallery) error {
	r.ok, r.results = true, []*cellwall.Result{}
	for i, c := range r.doc.Cells {
		if c.Kind != notebook.Code {
			continue
		}
		if strings.TrimSpace(c.Source) == "" {
			c.Clear()
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
		kept, quiet := context.WithoutCancel(ctx), r.silent || r.quiet
		if err := f.artifacts(kept, result, quiet); err != nil {
			return err
		}
		if err := f.figures(kept, result, quiet); err != nil {
			return err
		}
		if failed {
			r.ok = false
			return nil
		}
	}
	return nil
}

// runCell runs one cell and puts what it left into the document, in the place of
// what was there: a cell that does not run keeps what it has.
func (o *openedSession) runCell(ctx context.Context, c *notebook.Cell) (*cellwall.Result, error) {
	var kept notebook.Recorder
	result, err := o.Cell(ctx, session.Cell{Code: c.Source}, kept.Sink)
	if err != nil {
		return nil, err
	}
	c.Clear()
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
	if !r.quiet {
		r.p.summarizeData(plain, began)
	}
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
