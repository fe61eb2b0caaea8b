package native_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// notebook is a session as a test drives it.
type notebook struct {
	t testing.TB
	cellwall.Interpreter
	count int
}

// said is what one cell had to say.
type said struct {
	cellwall.End
	out, err string
	events   []cellwall.Event
}

// noticed reports whether a notice was told.
func (s said) noticed(code string) bool {
	return slices.ContainsFunc(s.events, func(e cellwall.Event) bool {
		return e.Kind == cellwall.EventNotice && strings.Contains(string(e.Data), `"`+code+`"`)
	})
}

func (s said) kinds() (kinds []cellwall.EventKind) {
	for _, e := range s.events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// begin opens a session and makes its first state.
func begin(t testing.TB, b *native.Backend, l cellwall.Limits) *notebook {
	t.Helper()
	n, _ := beginDegraded(t, b, l, false)
	return n
}

// beginDegraded is begin where this host may lack protections. It returns what
// was told at the beginning.
func beginDegraded(t testing.TB, b *native.Backend, l cellwall.Limits, degraded bool) (*notebook, said) {
	t.Helper()
	if l.Timeout == 0 {
		l.Timeout = testkit.Scale(cellwall.DefaultLimits().Timeout)
	}
	spec := cellwall.Spec{Environment: basic(t), Session: true, Limits: l, AllowDegraded: degraded}
	s, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatalf("%v\nhint: %s", err, cellwall.HintOf(err))
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close session: %v", err)
		}
	})
	n := &notebook{t: t, Interpreter: s.(cellwall.Interpreter)}
	var got said
	first := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution)}
	got.End, err = n.Begin(t.Context(), first, func(_ context.Context, e cellwall.Event) error {
		got.events = append(got.events, e)
		return nil
	})
	if err != nil || got.Status != cellwall.StatusOK {
		t.Fatalf("begin: %+v, %v", got.End, err)
	}
	return n, got
}

func (n *notebook) code(source string) cellwall.Code {
	n.count++
	return cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: source, Count: n.count}
}

// cell runs one cell to its end, whatever that is.
func (n *notebook) cell(source string) said {
	n.t.Helper()
	return n.run(n.t.Context(), n.code(source))
}

func (n *notebook) run(ctx context.Context, code cellwall.Code) said {
	n.t.Helper()
	var got said
	var mu sync.Mutex
	end, err := n.Cell(ctx, code, func(_ context.Context, e cellwall.Event) error {
		mu.Lock()
		defer mu.Unlock()
		got.events = append(got.events, e)
		switch e.Kind {
		case cellwall.EventStdout:
			got.out += string(e.Data)
		case cellwall.EventStderr:
			got.err += string(e.Data)
		}
		return nil
	})
	if err != nil {
		n.t.Fatalf("cell %q: %v", code.Source, err)
	}
	got.End = end
	return got
}

// says runs a cell that must end well and print that.
func (n *notebook) says(source, want string) {
	n.t.Helper()
	got := n.cell(source)
	if got.Status != cellwall.StatusOK || strings.TrimSpace(got.out) != want {
		n.t.Errorf("cell %q ended %s %s and printed %q %q, want ok and %q", source, got.Status, got.Cause, got.out, got.err, want)
	}
}

// deaths are the ways in which a cell can end its interpreter.
var deaths = []struct {
	name, source string
	want         string
}{
	{"Exit", "x = 0\nimport os\nos._exit(7)", "crashed exit:7"},
	{"OutOfMemory", "x = 0\nblocks = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]", "memory_limit oom_kill"},
	{"Deadline", "x = 0\nimport time\ntime.sleep(60)", "timeout deadline"},
	{"Signal", "x = 0\nimport ctypes\nctypes.string_at(0)", "crashed signal:SIGSEGV"},
	{"Output", "x = 0\nwhile True: print('x' * 65536)", "output_limit output"},
	{"ForkBomb", "x = 0\nimport os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)", "process_limit pids_limit"},
	{"Forged", "x = 0\nimport os, time\nos.write(3, b'\\0\\0\\0\\2Z{}')\ntime.sleep(60)", "crashed protocol"},
}

func TestM40_StateLivesOn(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	for _, death := range deaths {
		t.Run(death.name, func(t *testing.T) {
			n := begin(t, b, cellwall.Limits{MemoryBytes: 256 * cellwall.MiB, OutputBytes: cellwall.MiB})
			n.says("x = 41", "")
			code := n.code(death.source)
			if death.name == "Deadline" {
				code.Timeout = testkit.Scale(cellwall.DefaultLimits().Timeout) / 16
			}
			got := n.run(t.Context(), code)
			if end := string(got.Status) + " " + string(got.Cause); end != death.want {
				t.Errorf("the cell ended %s, want %s", end, death.want)
			}
			if got.Restored == nil || got.Restored.Checkpoint == "" || got.Restored.Cells != 1 {
				t.Fatalf("restored %+v, want that this cell left nothing behind", got.Restored)
			}
			n.says("print(x + 1)", "42")
			n.says("x += 1\nprint(x)", "42")
		})
	}
}
