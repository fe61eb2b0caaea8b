package native_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// loop goes on until it is interrupted, and has said so.
const loop = "import time\nx = 2\nprint('on', flush=True)\nwhile True: time.sleep(0.005)"

// whenOn calls do once the cell has printed, and collects what it said.
func (n *notebook) whenOn(ctx context.Context, source string, do func()) said {
	n.t.Helper()
	var got said
	var once sync.Once
	end, err := n.Cell(ctx, n.code(source), func(_ context.Context, e cellwall.Event) error {
		got.events = append(got.events, e)
		if e.Kind == cellwall.EventStdout {
			got.out += string(e.Data)
			once.Do(func() { go do() })
		}
		return nil
	})
	if err != nil {
		n.t.Fatalf("cell %q: %v", source, err)
	}
	got.End = end
	return got
}

func (n *notebook) interrupt() {
	if err := n.Interrupt(""); err != nil {
		n.t.Errorf("interrupt: %v", err)
	}
}

func TestM40_InterruptEndsTheCellAndKeepsTheState(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("x = 1", "")
	for range 3 {
		got := n.whenOn(t.Context(), loop, n.interrupt)
		if got.Status != cellwall.StatusError || got.Cause != cellwall.CauseException || got.Restored != nil {
			t.Errorf("an interrupted cell ended %s %s, restored %+v", got.Status, got.Cause, got.Restored)
		}
		if !slices.ContainsFunc(got.events, func(e cellwall.Event) bool {
			return e.Kind == cellwall.EventError && strings.Contains(string(e.Data), `"KeyboardInterrupt"`)
		}) {
			t.Errorf("no KeyboardInterrupt among %v", got.kinds())
		}
		n.says("print(x)\nx = 1", "2")
	}
	n.interrupt() // nothing runs: nothing happens
	n.says("print(x)", "1")
}

func TestM40_AnInterruptThatIsIgnoredKills(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("x = 1", "")
	got := n.whenOn(t.Context(), "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"+loop, n.interrupt)
	if got.Status != cellwall.StatusCancelled || got.Restored == nil || got.Restored.Cells != 1 {
		t.Errorf("the cell ended %s %s, restored %+v; want cancelled, and back by one cell", got.Status, got.Cause, got.Restored)
	}
	n.says("print(x)", "1")
}

func TestM40_ACallerThatGoesAwayInterruptsItsCell(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := n.whenOn(ctx, loop, cancel)
	if got.Status != cellwall.StatusCancelled || got.Restored != nil {
		t.Errorf("the cell ended %s %s, restored %+v; want cancelled, its state kept", got.Status, got.Cause, got.Restored)
	}
	n.says("print(x)", "2")
	gone := errors.New("the caller hung up")
	end, err := n.Cell(t.Context(), n.code(strings.Replace(loop, "x = 2", "x = 3", 1)),
		func(_ context.Context, e cellwall.Event) error {
			if e.Kind == cellwall.EventStdout {
				return gone
			}
			return nil
		})
	if err != nil || end.Status != cellwall.StatusCancelled || end.Restored != nil {
		t.Errorf("a cell whose sink failed: %+v, %v; want cancelled, its state kept", end, err)
	}
	n.says("print(x)", "3")
}

func TestM40_ACellWaitsForItsReader(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	blocked, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var read int
	done := make(chan cellwall.End)
	go func() {
		source := "for i in range(64):\n    print('x' * 65535, flush=True)\nopen('written', 'w').close()"
		end, err := n.Cell(t.Context(), n.code(source), func(_ context.Context, e cellwall.Event) error {
			read += len(e.Data)
			if e.Kind == cellwall.EventStdout {
				once.Do(func() {
					close(blocked)
					<-release
				})
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		done <- end
	}()
	<-blocked
	time.Sleep(testkit.Scale(100 * time.Millisecond)) // ample for a cell that nobody held
	files, err := n.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(files, "written"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cell went on although nobody read: %v", err)
	}
	close(release)
	if end := <-done; end.Status != cellwall.StatusOK || read != 64*65536 {
		t.Errorf("it ended %s and %d bytes were read, want ok and %d", end.Status, read, 64*65536)
	}
	if _, err := fs.Stat(files, "written"); err != nil {
		t.Errorf("the file of a cell that went on: %v", err)
	}
}

// Two writers that never stop keep neither the cell nor the next from ending;
// what they write in between is the next one's.
func TestM40_OutputBetweenCellsIsTheNextOnes(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("import os, threading, time\ndef late():\n    time.sleep(0.2)\n    os.write(1, b'late')\n"+
		"t = threading.Thread(target=late)\nt.start()", "")
	n.says("t.join()", "late")
	n.says("def flood():\n    while flooding: os.write(2, b'x' * 1000)\nflooding = True\n"+
		"f = threading.Thread(target=flood, daemon=True)\nf.start()", "")
	n.says("print('still here')", "still here")
	n.says("flooding = False\nf.join()", "")
	if got := n.cell("pass"); got.err != "" {
		t.Errorf("%d bytes of a thread that had ended", len(got.err))
	}
}

// Cells that find their interpreter gone end as dead, and the state is back.
func TestM40_AnInterpreterThatEndsBetweenCellsIsReplaced(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("x = 1", "")
	n.says("import os, threading, time\nthreading.Timer(0.1, os._exit, [3]).start()\nx = 2", "")
	time.Sleep(testkit.Scale(500 * time.Millisecond))
	got := n.cell("x = 3")
	if got.Status != cellwall.StatusCrashed || got.Cause != "exit:3" || got.Restored == nil || got.Restored.Cells != 1 {
		t.Errorf("the cell ended %s %s, restored %+v", got.Status, got.Cause, got.Restored)
	}
	n.says("print(x)", "2")
}

func TestM40_CallsThatHaveNoTurnAreRefused(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	n := begin(t, b, cellwall.Limits{})
	if _, err := n.Run(t.Context(), n.code("pass"), nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("Run on a session: %v, want conflict", err)
	}
	if _, err := n.Begin(t.Context(), n.code(""), nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("a second Begin: %v, want conflict", err)
	}
	n.whenOn(t.Context(), loop, func() {
		if _, err := n.Cell(t.Context(), n.code("x = 5"), nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("a second cell: %v, want conflict", err)
		}
		n.interrupt()
	})
	n.says("print(x)", "2")
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := n.Cell(t.Context(), n.code("pass"), nil)
	if !errors.Is(err, cellwall.ErrSessionOver) || cellwall.CodeOf(err) != cellwall.CodeConflict || cellwall.HintOf(err) == "" {
		t.Errorf("a cell after the end: %v, want ErrSessionOver, a conflict with a hint", err)
	}
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Session: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.(cellwall.Interpreter).Cell(t.Context(), n.code("pass"), nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("a cell before Begin: %v, want conflict", err)
	}
}
