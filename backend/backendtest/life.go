package backendtest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// runSandbox holds a backend to what the interfaces say, without a controller.
func runSandbox(t *testing.T, s Setup) {
	t.Run("ProbeNamesWhatItFound", func(t *testing.T) { probes(t, s) })
	t.Run("ServesOneRun", func(t *testing.T) { servesOnce(t, s) })
	t.Run("RefusesALanguageThatItDoesNotSpeak", func(t *testing.T) { refusesLanguages(t, s) })
	t.Run("EndsWhenTheContextEnds", func(t *testing.T) { endsWithContext(t, s) })
	t.Run("EndsWhenTheSinkFails", func(t *testing.T) { endsWithSink(t, s) })
	t.Run("NarrowsLimitsButNeverWidens", func(t *testing.T) { narrows(t, s) })
	t.Run("HarvestsAfterDeath", func(t *testing.T) { harvests(t, s) })
	t.Run("CountsRefusedCallsByName", func(t *testing.T) { countsRefusals(t, s) })
	t.Run("DescribesWithoutRunningCode", func(t *testing.T) { describes(t, s) })
	t.Run("ClosesUnusedAndTwice", func(t *testing.T) { closesTwice(t, s) })
}

func probes(t *testing.T, s Setup) {
	r := s.Backend.Probe(t.Context())
	if r.Backend == "" || len(r.Protections) == 0 {
		t.Fatalf("report is %+v", r)
	}
	missing := 0
	for _, p := range r.Protections {
		switch p.State {
		case cellwall.Enforced:
		case cellwall.Degraded, cellwall.Missing:
			missing++
			if p.Hint == "" {
				t.Errorf("%s is %s and has no hint", p.Name, p.State)
			}
		default:
			t.Errorf("%s is %q", p.Name, p.State)
		}
		if p.Name == "" {
			t.Errorf("a protection has no name: %+v", p)
		}
	}
	if r.Usable && len(s.Missing) > 0 {
		t.Errorf("usable without %v", s.Missing)
	}
}

// open opens a sandbox that is closed with the test.
func open(t *testing.T, s Setup) cellwall.Sandbox {
	t.Helper()
	sb, err := s.Backend.Open(t.Context(), spec(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return sb
}

func spec(s Setup) cellwall.Spec {
	return cellwall.Spec{
		Identity: cellwall.Identity{Tenant: "contract"}, Environment: s.Environment,
		Limits: s.target().Limits(cellwall.DefaultLimits()), AllowDegraded: len(s.Missing) > 0,
	}
}

func bound(t *testing.T, s Setup) cellwall.Sandbox {
	t.Helper()
	sb := open(t, s)
	if err := sb.Bind(t.Context(), cellwall.Claim{Limits: s.target().Limits(cellwall.DefaultLimits())}); err != nil {
		t.Fatal(err)
	}
	return sb
}

func code(source string) cellwall.Code {
	return cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: source, Timeout: testkit.Scale(8 * time.Second)}
}

func ignore(context.Context, cellwall.Event) error { return nil }

func servesOnce(t *testing.T, s Setup) {
	sb := bound(t, s)
	if b := sb.Boundary(); b.Backend == "" || b.Environment != s.Environment.Ref() || b.Network != "none" {
		t.Errorf("boundary is %+v", b)
	}
	var text strings.Builder
	var last uint64
	var first cellwall.EventKind
	end, err := sb.Run(t.Context(), code("print('one')\nprint('two')"), func(_ context.Context, e cellwall.Event) error {
		if e.Seq <= last && last != 0 {
			t.Errorf("event %d came after %d", e.Seq, last)
		}
		if last == 0 {
			first = e.Kind
		}
		last = e.Seq
		if e.Kind == cellwall.EventStdout {
			text.Write(e.Data)
		}
		return nil
	})
	if err != nil || end.Status != cellwall.StatusOK || text.String() != "one\ntwo\n" {
		t.Fatalf("run: %+v, %v, printed %q", end, err, text.String())
	}
	if first != cellwall.EventStarted {
		t.Errorf("the first event is %q, want %q", first, cellwall.EventStarted)
	}
	if _, err := sb.Run(t.Context(), code("print('again')"), ignore); err == nil {
		t.Error("a second run was served")
	}
}

// refusesLanguages demands that what cannot be run is not run as something else.
func refusesLanguages(t *testing.T, s Setup) {
	c := code("print('ran')")
	c.Language = "intercal"
	_, err := bound(t, s).Run(t.Context(), c, func(_ context.Context, e cellwall.Event) error {
		t.Errorf("it said %s", e.Kind)
		return nil
	})
	if cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("run: %v, want %s", err, cellwall.CodeBadRequest)
	}
}

func endsWithContext(t *testing.T, s Setup) {
	sb := bound(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	end, err := sb.Run(ctx, code("print('begun', flush=True)\nwhile True: pass"), func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout {
			cancel()
		}
		return nil
	})
	cancel()
	if err != nil && !errors.Is(err, context.Canceled) || err == nil && end.Status != cellwall.StatusCancelled {
		t.Errorf("run: %+v, %v", end, err)
	}
}

func endsWithSink(t *testing.T, s Setup) {
	sb := bound(t, s)
	end, err := sb.Run(t.Context(), code("while True: print('x' * 99)"), func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout {
			return errors.New("the caller is gone")
		}
		return nil
	})
	if err == nil && end.Status != cellwall.StatusCancelled {
		t.Errorf("run: %+v, %v", end, err)
	}
}

func narrows(t *testing.T, s Setup) {
	wide := s.target().Limits(cellwall.DefaultLimits())
	wide.MemoryBytes *= 2
	if err := open(t, s).Bind(t.Context(), cellwall.Claim{Limits: wide}); err == nil {
		t.Error("a claim widened the memory of a sandbox")
	}
	sb, narrow := open(t, s), s.target().Limits(cellwall.DefaultLimits())
	narrow.MemoryBytes, narrow.Timeout = 128*cellwall.MiB, testkit.Scale(2*time.Second)
	if err := sb.Bind(t.Context(), cellwall.Claim{Limits: narrow}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.Missing, abuse.MemoryLimit) {
		return
	}
	end, err := sb.Run(t.Context(), code("x = bytearray(b'x' * (200 << 20))"), ignore)
	if err != nil || end.Status != cellwall.StatusMemoryLimit {
		t.Errorf("200 MiB in a sandbox narrowed to 128: %+v, %v", end, err)
	}
}

func harvests(t *testing.T, s Setup) {
	sb := bound(t, s)
	source := "import os, time\nopen('a.txt', 'w').write('kept')\nos.symlink('/etc/passwd', 'link')\n" +
		"if os.fork() == 0:\n    while True: open('a.txt', 'w').write('changed')\n"
	if _, err := sb.Run(t.Context(), code(source), ignore); err != nil {
		t.Fatal(err)
	}
	tree, err := sb.Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := fs.ReadFile(tree, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if again, err := fs.ReadFile(tree, "a.txt"); err != nil || string(again) != string(first) {
			t.Fatalf("a.txt changed during the harvest: %q, then %q, %v", first, again, err)
		}
	}
	if f, err := tree.Open("link"); err == nil {
		f.Close()
		t.Error("a link was followed")
	}
	if f, err := tree.Open("../../etc/passwd"); err == nil {
		f.Close()
		t.Error("the output directory was left")
	}
}

func countsRefusals(t *testing.T, s Setup) {
	sb := bound(t, s)
	source := "import ctypes\nlibc = ctypes.CDLL(None)\nfor _ in range(3): libc.ptrace(0, 0, None, None)\n" +
		"import socket\ntry: socket.socket(socket.AF_INET)\nexcept OSError as e: print(e)"
	end, err := sb.Run(t.Context(), code(source), ignore)
	if err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("run: %+v, %v", end, err)
	}
	if !slices.ContainsFunc(end.Refused, func(r cellwall.Refusal) bool { return r.Call == "ptrace" && r.Count == 3 }) {
		t.Errorf("refused calls are %v, want ptrace three times", end.Refused)
	}
	if !slices.ContainsFunc(end.Refused, func(r cellwall.Refusal) bool { return strings.HasPrefix(r.Call, "socket") }) {
		t.Errorf("refused calls are %v, want a socket among them", end.Refused)
	}
}

func describes(t *testing.T, s Setup) {
	file, err := pentest.HandOver(abuse.File{Name: "t.csv", Data: []byte("a,b\n1,2\n")})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sb := open(t, s)
	claim := cellwall.Claim{Limits: s.target().Limits(cellwall.DefaultLimits()), Inputs: []cellwall.Input{{Name: "t.csv", FD: int(file.Fd()), Size: 8}}}
	if err := sb.Bind(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	c, described := code("print('must not run')"), false
	c.Describe = true
	end, err := sb.Run(t.Context(), c, func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout {
			t.Errorf("the code ran: %q", e.Data)
		}
		described = described || e.Kind == cellwall.EventDatasets && strings.Contains(string(e.Data), "t.csv")
		return nil
	})
	if err != nil || end.Status != cellwall.StatusOK || !described {
		t.Errorf("describe: %+v, %v, described %v", end, err, described)
	}
}

func closesTwice(t *testing.T, s Setup) {
	sb, err := s.Backend.Open(t.Context(), spec(s))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sb.Close(), sb.Close()); err != nil {
		t.Error(err)
	}
}
