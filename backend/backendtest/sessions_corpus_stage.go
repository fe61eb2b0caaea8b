package backendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/pentest"
)

// arenaCheckpoints is enough to go back after every cell, and few enough to be
// kept in full soon.
const arenaCheckpoints = 4

// arenaTimeout is the longest that any row asks for.
const arenaTimeout = 30 * time.Second

// stage is where the programs of the corpus are cells: one session for all
// that ask for nothing of their own.
type stage struct {
	s       Setup
	cells   *cellsOf
	mu      sync.Mutex // one program at a time in it
	returns int        // how many programs it was taken back behind
}

// arena opens the session that rows share. It has the one input that rows want.
func arena(t *testing.T, s Setup) *stage {
	t.Helper()
	numbers, err := pentest.HandOver(abuse.File{Name: "numbers.csv", Data: []byte("n\n1\n2\n")})
	if err != nil {
		t.Fatal(err)
	}
	defer numbers.Close()
	req := s.target().Request(cellwall.Request{Limits: cellwall.Limits{Timeout: arenaTimeout, Checkpoints: arenaCheckpoints}})
	req.Datasets = []cellwall.Input{{Name: "numbers.csv", FD: int(numbers.Fd()), Size: 6}}
	cells, err := openStage(t.Context(), s, req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cells.Close)
	return &stage{s: s, cells: cells}
}

// target executes requests as cells: of the shared session, or each of one of
// its own.
func (st *stage) target(alone bool) pentest.Target {
	target := st.s.target()
	target.Execute = func(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
		return st.stream(ctx, req, ignore, alone)
	}
	target.Stream = func(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
		return st.stream(ctx, req, sink, alone)
	}
	return target
}

func (st *stage) stream(ctx context.Context, req cellwall.Request, sink cellwall.Sink, alone bool) (*cellwall.Result, error) {
	if !alone && shares(req) {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.returns++
		req.Datasets, req.Limits.Timeout = nil, req.Limits.WithDefaults().Timeout
		return st.cells.play(ctx, req, sink)
	}
	cells, err := openStage(ctx, st.s, req)
	if err != nil {
		return nil, err
	}
	defer cells.Close()
	return cells.play(ctx, req, sink)
}

// shares is whether a program asks for nothing of its own but time.
func shares(req cellwall.Request) bool {
	for _, in := range req.Datasets {
		if in.Name != "numbers.csv" {
			return false
		}
	}
	own := req.Limits
	own.Timeout = 0
	return own == cellwall.Limits{} && req.Limits.Timeout <= arenaTimeout
}

// cellsOf is a session with a state that is known.
type cellsOf struct {
	Cells
	n int // cells so far
}

// The state that a session of the corpus has before each row, and after. No
// descriptor is open in it and the workspace is empty: rows count both.
const (
	untouched = "state = {'kept': [41]}"
	same      = "import os\nprint(state, os.listdir('.'), os.getcwd(), 'x' in dir())"
	wasSame   = "{'kept': [41]} [] /workspace/output False\n"
)

func openCells(ctx context.Context, s Setup, req cellwall.Request) (*cellsOf, error) {
	cells, begun, err := s.Session(ctx, req)
	if err != nil {
		return nil, err
	}
	if cells == nil || !begun.OK {
		return nil, fmt.Errorf("begin: %s %s", begun.Status, begun.Cause)
	}
	return &cellsOf{Cells: cells}, nil
}

// openStage opens a session that holds the state from before.
func openStage(ctx context.Context, s Setup, req cellwall.Request) (*cellsOf, error) {
	cells, err := openCells(ctx, s, req)
	if err != nil {
		return nil, err
	}
	r, err := cells.take(ctx, cellwall.Request{Code: untouched}, ignore)
	if err == nil && !r.OK {
		err = fmt.Errorf("the first cell ended %s %s: %s", r.Status, r.Cause, r.Stderr.Text)
	}
	if err != nil {
		cells.Close()
		return nil, err
	}
	return cells, nil
}

// take runs one cell.
func (c *cellsOf) take(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	c.n++
	return c.Cell(ctx, cellwall.Request{Code: req.Code, Limits: cellwall.Limits{Timeout: req.Limits.Timeout}}, c.n, sink)
}

// live returns the checkpoint that the live state grew from.
func (c *cellsOf) live(ctx context.Context) (string, error) {
	keeper, ok := c.Interpreter().(cellwall.Checkpointer)
	if !ok {
		return "", fmt.Errorf("a %T keeps no checkpoints", c.Interpreter())
	}
	kept, err := keeper.Checkpoints(ctx)
	for _, k := range slices.Backward(kept) {
		if k.Live {
			return k.ID, err
		}
	}
	return "", errors.Join(err, fmt.Errorf("none of %d checkpoints is the live one's", len(kept)))
}

// play runs a program as a cell, goes back to the state from before it, unless
// its death has done that, and proves by the next cell that it is the same.
func (c *cellsOf) play(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	from, err := c.live(ctx)
	if err != nil {
		return nil, err
	}
	r, err := c.take(ctx, req, sink)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the row may have been about a caller who leaves
	back := r.Restored
	if back == nil && r.Status != cellwall.StatusRefused {
		to, err := c.Rollback(ctx, cellwall.Return{To: from, Reseed: true})
		if err != nil {
			return nil, err
		}
		back = &to
	}
	if back != nil && (back.Checkpoint != from || !back.Files) {
		return nil, fmt.Errorf("the cell ended %s %s, and the session is at %+v, want %s with its files", r.Status, r.Cause, *back, from)
	}
	return r, c.prove(ctx)
}

// prove demands that the state and the files are those from before. What
// processes of a row print behind its answer comes first: it is the next cell's.
func (c *cellsOf) prove(ctx context.Context) error {
	r, err := c.take(ctx, cellwall.Request{Code: same}, ignore)
	if err != nil {
		return fmt.Errorf("the cell behind it: %w", err)
	}
	if r.Status != cellwall.StatusOK || !strings.HasSuffix(r.Stdout.Text, wasSame) || len(r.Artifacts)+len(r.SkippedArtifacts) > 0 {
		return fmt.Errorf("the cell behind it ended %s %s, printed %q %q and left %v %v, want %q",
			r.Status, r.Cause, r.Stdout.Text, r.Stderr.Text, r.Artifacts, r.SkippedArtifacts, wasSame)
	}
	return nil
}
