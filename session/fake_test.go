package session

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kernel is an interpreter whose state is the list of the cells that made it.
// A cell "die" leaves nothing and goes back to the newest checkpoint, "end" has
// none to go back to, "wait" waits until it is interrupted or cancelled, and
// "skip x" is a cell that no checkpoint is taken after; "refused" and "unsent"
// do not run.
type kernel struct {
	mu      sync.Mutex
	state   []string
	points  []cellwall.Checkpoint
	states  map[string][]string // of the checkpoints
	live    string
	last    string // execution of the latest cell
	skipped int    // cells since the live checkpoint
	numbers []int
	asked   []cellwall.Question
	stop    chan struct{} // Interrupt
	hit     []string      // executions that were interrupted
	settled int           // times that files were taken for known
	inside  int           // calls at once: one at most
	paused  bool
	closed  bool
	files   fs.FS
	began   chan string // when set, hears of each cell that begins
}

func newKernel() *kernel {
	k := &kernel{states: map[string][]string{}, stop: make(chan struct{}, 1), files: fstest.MapFS{"a.csv": {Data: []byte("x\n")}}}
	k.take("exec_begin")
	return k
}

// enter fails the house when two are inside.
func (k *kernel) enter() func() {
	k.mu.Lock()
	if k.inside++; k.inside > 1 || k.closed {
		panic(fmt.Sprintf("%d calls at once, closed %v", k.inside, k.closed))
	}
	k.mu.Unlock()
	return func() { k.mu.Lock(); k.inside--; k.mu.Unlock() }
}

func (k *kernel) take(execution string) {
	c := cellwall.Checkpoint{ID: fmt.Sprintf("cp_%d", len(k.states)), Parent: k.live, Execution: execution}
	k.states[c.ID] = slices.Clone(k.state)
	k.points = append(k.points, c)
	k.live, k.skipped = c.ID, 0
}

func (k *kernel) Checkpoints(context.Context) ([]cellwall.Checkpoint, error) {
	defer k.enter()()
	list := slices.Clone(k.points)
	for i := range list {
		list[i].Live = list[i].ID == k.live
	}
	return list, nil
}

func (k *kernel) Rollback(_ context.Context, to cellwall.Return) (cellwall.Restored, error) {
	defer k.enter()()
	if to.To == "" {
		to.To = k.live
	}
	state, ok := k.states[to.To]
	if !ok {
		return cellwall.Restored{}, &cellwall.Error{Code: cellwall.CodeNotFound}
	}
	k.state, k.live, k.skipped = slices.Clone(state), to.To, 0
	if to.Reseed {
		k.state = append(k.state, "reseeded")
	}
	return cellwall.Restored{Checkpoint: to.To, Files: true}, nil
}

func (k *kernel) drop(id string) {
	k.points = slices.DeleteFunc(k.points, func(c cellwall.Checkpoint) bool { return c.ID == id })
	delete(k.states, id)
}

func (k *kernel) Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error) {
	defer k.enter()()
	k.numbers = append(k.numbers, count)
	if k.began != nil {
		k.began <- req.Code
	}
	r := &cellwall.Result{ID: fmt.Sprintf("exec_%d", count), OK: true, Status: cellwall.StatusOK, Results: []cellwall.Rich{}}
	r.Usage.WallMS = 1
	if sink != nil {
		_ = sink(ctx, cellwall.Event{Kind: cellwall.EventStdout, Data: []byte(req.Code)})
	}
	r.Stdout.Text = req.Code
	switch req.Code {
	case "refused":
		r.OK, r.Status = false, cellwall.StatusRefused
		return r, nil
	case "unsent":
		r.OK, r.Status, r.Usage.WallMS = false, cellwall.StatusCancelled, 0
		return r, nil
	case "die", "end":
		r.OK, r.Status, r.Restored = false, cellwall.StatusMemoryLimit, &cellwall.Restored{Cells: 1 + k.skipped, Files: !req.KeepFiles}
		if req.Code == "die" {
			r.Restored.Checkpoint = k.live
			k.state, k.skipped = slices.Clone(k.states[k.live]), 0
		}
		return r, nil
	case "fail":
		r.OK, r.Status, r.Error = false, cellwall.StatusError, &cellwall.ExecutionError{Type: "KeyError"}
	case "wait":
		select {
		case <-k.stop:
			r.OK, r.Status, r.Error = false, cellwall.StatusError, &cellwall.ExecutionError{Type: "KeyboardInterrupt"}
		case <-ctx.Done():
			r.OK, r.Status = false, cellwall.StatusCancelled
		}
	}
	k.state = append(k.state, req.Code)
	k.last = r.ID
	if strings.HasPrefix(req.Code, "skip") {
		k.skipped++
	} else {
		k.take(r.ID)
	}
	return r, nil
}

func (k *kernel) Stop(_ context.Context, _ cellwall.Request, stop cellwall.Stop) (*cellwall.Result, error) {
	return &cellwall.Result{
		ID: "exec_stopped", Status: cellwall.StatusRefused, Cause: cellwall.CausePolicy,
		Observation: cellwall.Observation{Status: cellwall.StatusStopped, Stop: &stop},
	}, nil
}

func (k *kernel) Settle(context.Context) { defer k.enter()(); k.settled++ }

func (k *kernel) Interpreter() cellwall.Interpreter { return interpreter{k} }
func (k *kernel) Close()                            { defer k.enter()(); k.closed = true }

// interpreter is what a kernel's cells run in.
type interpreter struct{ *kernel }

func (i interpreter) Bind(context.Context, cellwall.Claim) error { return nil }
func (i interpreter) Boundary() cellwall.Boundary                { return cellwall.Boundary{} }
func (i interpreter) Harvest(context.Context) (fs.FS, error)     { return i.files, nil }
func (i interpreter) Workspace() (fs.FS, error)                  { return i.files, nil }
func (i interpreter) Close() error                               { return nil }
func (i interpreter) Run(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	return cellwall.End{}, nil
}

func (i interpreter) Begin(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	return cellwall.End{}, nil
}

func (i interpreter) Cell(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	return cellwall.End{}, nil
}

func (i interpreter) Interrupt(execution string) error {
	i.mu.Lock()
	i.hit = append(i.hit, execution)
	i.mu.Unlock()
	select {
	case i.stop <- struct{}{}:
	default:
	}
	return nil
}

func (i interpreter) Ask(_ context.Context, q cellwall.Question) (cellwall.Answer, error) {
	defer i.enter()()
	i.asked = append(i.asked, q)
	return cellwall.Answer{Matches: i.state}, nil
}

func (i interpreter) Pause(context.Context) error { defer i.enter()(); i.paused = true; return nil }

func (i interpreter) Resume(context.Context) error { defer i.enter()(); i.paused = false; return nil }

// open returns Sessions whose next session runs in k.
func open(t testing.TB, k *kernel, opts Options) *Sessions {
	t.Helper()
	opts.Open = func(_ context.Context, _ cellwall.Request, _ string, _ cellwall.Sink) (Live, *cellwall.Result, error) {
		return k, &cellwall.Result{ID: "exec_begin", OK: true, Status: cellwall.StatusOK}, nil
	}
	all, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// besides makes kernels with the state of another.
func besides(made *[]*kernel) func(context.Context, Live, cellwall.Identity, string, cellwall.Sink) (Live, []cellwall.Notice, *cellwall.Result, error) {
	return func(_ context.Context, from Live, _ cellwall.Identity, id string, _ cellwall.Sink) (Live, []cellwall.Notice, *cellwall.Result, error) {
		k := newKernel()
		k.state = slices.Clone(from.(*kernel).state)
		k.points, k.states, k.live = nil, map[string][]string{}, ""
		k.take("exec_" + id)
		*made = append(*made, k)
		return k, []cellwall.Notice{{Code: cellwall.LostVariables}}, &cellwall.Result{ID: "exec_" + id, OK: true, Status: cellwall.StatusOK}, nil
	}
}

// create opens one session in k.
func create(t testing.TB, k *kernel, opts Options) *Session {
	t.Helper()
	all := open(t, k, opts)
	s, _, err := all.Create(t.Context(), cellwall.Request{Identity: cellwall.Identity{Tenant: "a"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func run(t testing.TB, s *Session, cells ...string) *cellwall.Result {
	t.Helper()
	var last *cellwall.Result
	for _, code := range cells {
		r, err := s.Cell(t.Context(), Cell{Code: code}, nil)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		last = r
	}
	return last
}
