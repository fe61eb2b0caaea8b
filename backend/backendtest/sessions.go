package backendtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
)

// Sessions is the contract of a backend that opens sessions: sandboxes whose
// interpreter lives from cell to cell, and survives the death of any of them.
// The backend enforces a memory and a process limit: without them a session
// takes no checkpoint.
func Sessions(t *testing.T, s Setup) {
	t.Helper()
	for _, missing := range s.Missing {
		if missing == abuse.MemoryLimit || missing == abuse.ProcessLimit {
			t.Fatalf("this run goes without %s: no checkpoint can be kept out of the cells' limits", missing)
		}
	}
	t.Run("first", func(t *testing.T) { // what one needs stays for all
		n := begin(t, s, cellwall.Limits{})
		n.pause(true)
		n.pause(false)
	})
	before := s.target().AtRest(t.Context())
	t.Run("state", func(t *testing.T) { runStates(t, s) })
	t.Run("deaths", func(t *testing.T) { runDeaths(t, s) })
	t.Run("attacks", func(t *testing.T) { runReaches(t, s) })
	t.Run("greed", func(t *testing.T) { runGreeds(t, s) })
	t.Run("files", func(t *testing.T) { runRuins(t, s) })
	t.Run("room", func(t *testing.T) { runRoom(t, s) })
	t.Run("tree", func(t *testing.T) { runTree(t, s) })
	t.Run("beside", func(t *testing.T) { runBeside(t, s) })
	t.Run("calls", func(t *testing.T) { runCallsOfCells(t, s) })
	t.Run("questions", func(t *testing.T) { runTorn(t, s) })
	t.Run("pause", func(t *testing.T) { runPause(t, s) })
	t.Run("cells", func(t *testing.T) { runCells(t, s) })
	t.Run("life", func(t *testing.T) { runLife(t, s) })
	t.Run("corpus", func(t *testing.T) { runCorpus(t, s) })
	for _, left := range s.target().Settle(t.Context(), before, false) {
		t.Errorf("left behind: %s", left)
	}
}

// notebook is a session as the contract drives it.
type notebook struct {
	t *testing.T
	cellwall.Interpreter
	cells int
}

// said is how a cell ended and what it had to say.
type said struct {
	cellwall.End
	out, err string
	raised   string   // the error frame
	notices  []string // codes, and reasons
}

// noCheckpoint returns what was told of one that was not taken.
func (s said) noCheckpoint() string {
	for _, n := range s.notices {
		if strings.HasPrefix(n, "checkpoint_") {
			return n
		}
	}
	return ""
}

// begin opens a session that has its first state, and is closed with the test.
func begin(t *testing.T, s Setup, l cellwall.Limits) *notebook {
	t.Helper()
	n := bind(t, s, l)
	first := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Timeout: testkit.Scale(8 * time.Second)}
	if end, err := n.Begin(t.Context(), first, ignore); err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("begin: %+v, %v", end, err)
	}
	return n
}

// bind opens a session that has not begun.
func bind(t *testing.T, s Setup, l cellwall.Limits) *notebook {
	t.Helper()
	sp := spec(s)
	sp.Session, sp.Limits = true, s.target().Limits(l.WithDefaults())
	sandbox, err := s.Backend.Open(t.Context(), sp)
	if err != nil {
		t.Fatalf("open session: %v (%s)", err, cellwall.HintOf(err))
	}
	t.Cleanup(func() {
		if err := sandbox.Close(); err != nil {
			t.Errorf("close session: %v", err)
		}
	})
	session, ok := sandbox.(cellwall.Interpreter)
	if !ok {
		t.Fatalf("a sandbox opened as a session is a %T, no Interpreter", sandbox)
	}
	if err := session.Bind(t.Context(), cellwall.Claim{Limits: sp.Limits}); err != nil {
		t.Fatal(err)
	}
	return &notebook{t: t, Interpreter: session}
}

// code is the next cell.
func (n *notebook) code(source string) cellwall.Code {
	n.cells++
	c := code(source)
	c.Count = n.cells
	return c
}

// cell runs one cell to its end, whatever that is.
func (n *notebook) cell(source string) said {
	n.t.Helper()
	return n.run(n.code(source))
}

func (n *notebook) run(c cellwall.Code) said {
	n.t.Helper()
	got, err := n.try(n.t.Context(), c, nil)
	if err != nil {
		n.t.Fatalf("cell %q: %v", c.Source, err)
	}
	return got
}

// whenOn runs a cell and calls do once it has printed.
func (n *notebook) whenOn(source string, do func() error) said {
	n.t.Helper()
	got, err := n.try(n.t.Context(), n.code(source), do)
	if err != nil {
		n.t.Fatalf("cell %q: %v", source, err)
	}
	return got
}

func (n *notebook) try(ctx context.Context, c cellwall.Code, onPrint func() error) (got said, err error) {
	var mu sync.Mutex
	var once sync.Once
	var failed error
	got.End, failed = n.Cell(ctx, c, func(_ context.Context, e cellwall.Event) error {
		mu.Lock()
		defer mu.Unlock()
		switch e.Kind {
		case cellwall.EventStdout:
			got.out += string(e.Data)
			if onPrint != nil {
				once.Do(func() { err = onPrint() })
			}
		case cellwall.EventError:
			got.raised += string(e.Data)
		case cellwall.EventStderr:
			got.err += string(e.Data)
		case cellwall.EventNotice:
			got.notices = append(got.notices, noticeCode(e.Data))
		}
		return nil
	})
	return got, errors.Join(err, failed)
}

// says runs a cell that must end well and print that.
func (n *notebook) says(source, want string) {
	n.t.Helper()
	got := n.cell(source)
	if got.Status != cellwall.StatusOK || strings.TrimSpace(got.out) != want {
		n.t.Errorf("cell %q ended %s %s and printed %q %q, want ok and %q", source, got.Status, got.Cause, got.out, got.err, want)
	}
}

// died demands that a cell was killed and took nothing but itself along.
func (n *notebook) died(got said, want string) {
	n.t.Helper()
	if end := fmt.Sprint(got.Status, " ", got.Cause); want != "" && end != want {
		n.t.Errorf("the cell ended %s, want %s; it said %q %q", end, want, got.out, got.err)
	}
	if got.Restored == nil || got.Restored.Checkpoint == "" || got.Restored.Cells != 1 {
		n.t.Fatalf("restored %+v, want that one cell left nothing behind; it ended %s %s", got.Restored, got.Status, got.Cause)
	}
	if told := got.noCheckpoint(); told != "" {
		n.t.Errorf("a checkpoint was not taken: %s", told)
	}
}
