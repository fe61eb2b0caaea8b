package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// replayVerb is "cellwall replay".
type replayVerb struct {
	File string `arg:"" name:"FILE.ipynb" help:"A session that was saved, or a notebook that was run."`

	sessionFlags

	JSON  bool `name:"json" help:"Print one document on stdout and nothing else."`
	Quiet bool `short:"q" help:"Only what differs."`
}

// Help is the part of the help that shows how it is used.
func (*replayVerb) Help() string {
	return `Examples:

  cellwall replay session.ipynb
  cellwall replay --data sales.csv session.ipynb

Every cell runs again in a fresh sandbox of the environment that the file names,
and its output, results, figures, artifacts and end are compared with what is
recorded there. Data files are looked for beside FILE unless --data says where
they are; their hashes are compared too. Exit status 1 when anything differs.`
}

// replayReport is the document of "replay --json".
type replayReport struct {
	Notebook    string                `json:"notebook"`
	Same        bool                  `json:"same"`
	Environment changed               `json:"environment"`
	Inputs      []notebook.Difference `json:"inputs"` // that are not the recorded ones
	Cells       []replayedCell        `json:"cells"`
}

// changed is a fact then and now.
type changed struct {
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

type replayedCell struct {
	Cell        int                   `json:"cell"`    // in the document, 1 = first
	Skipped     bool                  `json:"skipped"` // it was interrupted, which nobody repeats
	Same        bool                  `json:"same"`
	Differences []notebook.Difference `json:"differences"`
}

// Run runs a saved session again and compares.
func (v *replayVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	if !isNotebook(v.File) {
		return usage("read "+v.File, errNotNotebook, "save the session as .ipynb: a script has no outputs to compare")
	}
	doc, err := readNotebook(v.File)
	if err != nil {
		return err
	}
	receipt, signed := doc.Receipt()
	named := len(v.Data) > 0
	v.follow(receipt)
	req, undo, err := v.request("replay")
	if errors.Is(err, fs.ErrNotExist) && !named {
		return usage("", err, "say where the data files are with --data FILE, in the order of the session")
	}
	if err != nil {
		return err
	}
	defer undo()
	o, err := p.openSession(ctx, c, req, v.budget(), v.settings(), v.Quiet || v.JSON)
	if err != nil {
		return err
	}
	defer o.close(&err)
	report := &replayReport{Notebook: v.File, Same: true, Inputs: []notebook.Difference{}, Cells: []replayedCell{}}
	if signed {
		report.compareSession(receipt, o.receipt())
	}
	if err := report.run(ctx, o, doc); err != nil {
		return err
	}
	if v.JSON {
		err = p.printJSON(report)
	} else {
		v.print(p, report)
	}
	if err == nil && !report.Same {
		err = status(exitNotOK)
	}
	return err
}

// follow fills in what the recorded session was and nobody said otherwise.
func (v *replayVerb) follow(r notebook.Receipt) {
	if name, _, ok := strings.Cut(r.Environment, "@"); ok && v.Env == defaultEnvironment {
		v.Env = name
	}
	if len(v.Data) > 0 {
		return
	}
	for _, in := range r.Inputs {
		v.Data = append(v.Data, filepath.Join(filepath.Dir(v.File), filepath.Base(in.Name)))
	}
}

// compareSession compares what the cells are going to run in.
func (r *replayReport) compareSession(then, now notebook.Receipt) {
	r.Environment = changed{Recorded: then.Environment, Now: now.Environment}
	for i := range max(len(then.Inputs), len(now.Inputs)) {
		d := notebook.Difference{What: fmt.Sprintf("input %d", i+1)}
		if i < len(then.Inputs) {
			d.Recorded = then.Inputs[i].Name + " " + then.Inputs[i].SHA256
		}
		if i < len(now.Inputs) {
			d.Now = now.Inputs[i].Name + " " + now.Inputs[i].SHA256
		}
		if d.Recorded != d.Now {
			r.Inputs, r.Same = append(r.Inputs, d), false
		}
	}
}

// run runs every cell that was recorded and compares it.
func (r *replayReport) run(ctx context.Context, o *openedSession, doc *notebook.Notebook) error {
	for i, recorded := range doc.Cells {
		if recorded.Kind != notebook.Code || strings.TrimSpace(recorded.Source) == "" {
			continue
		}
		if recorded.Interrupted() {
			r.Cells = append(r.Cells, replayedCell{Cell: i + 1, Skipped: true, Same: true, Differences: []notebook.Difference{}})
			continue
		}
		again := &notebook.Cell{Source: recorded.Source}
		result, err := o.runCell(ctx, again)
		if err != nil {
			return fmt.Errorf("run cell %d: %w", i+1, err)
		}
		if result.Status == cellwall.StatusCancelled {
			return context.Cause(ctx)
		}
		found := recorded.Compare(again.Outputs, result)
		cell := replayedCell{Cell: i + 1, Same: len(found) == 0, Differences: append([]notebook.Difference{}, found...)}
		r.Cells = append(r.Cells, cell)
		r.Same = r.Same && cell.Same
	}
	return nil
}
