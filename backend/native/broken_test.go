package native_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// wardens are the children of this process that are wardens.
func wardens(t *testing.T) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, file := range files {
		children, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that ended
		}
		for _, word := range strings.Fields(string(children)) {
			line, err := os.ReadFile("/proc/" + word + "/cmdline")
			pid, numberErr := strconv.Atoi(word)
			if err == nil && numberErr == nil && strings.Contains(string(line), wardenVerb) {
				found = append(found, pid)
			}
		}
	}
	return found
}

// A warden that stands still buries nobody: the run ends all the same, the
// warden goes, and the next sandbox gets a new one.
func TestBrokenWarden_IsGivenUp(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	native.SetEndTimeout(b, 200*time.Millisecond)
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	standing := wardens(t)
	if len(standing) != 1 {
		t.Fatalf("wardens: %v", standing)
	}
	code := cellwall.Code{Execution: cellwall.NewID("exec"), Source: "print('begun', flush=True)\nwhile True: pass", Timeout: time.Second}
	_, err = s.Run(t.Context(), code, func(context.Context, cellwall.Event) error {
		return syscall.Kill(standing[0], syscall.SIGSTOP)
	})
	if err == nil {
		t.Error("a run whose end nobody saw ended well")
	}
	if err := s.Close(); err != nil && !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("close sandbox: %v", err)
	}
	if left := wardens(t); len(left) != 0 {
		t.Errorf("wardens are left: %v", left)
	}
	native.SetEndTimeout(b, time.Minute)
	if got := told(t, b, "print('next')"); got != "next\n" {
		t.Errorf("the next run printed %q", got)
	}
}

// A sandbox that died while it waited has run nothing, and says so.
func TestRun_SaysThatTheCodeReachedNobody(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	input, err := os.Open(filepath.Join(cases(t), "penguins.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	claim := cellwall.Claim{Inputs: []cellwall.Input{{Name: "penguins.csv", FD: int(input.Fd()), Size: 1000}}}
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Bind(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if err := native.Kill(s); err != nil {
		t.Fatal(err)
	}
	code := cellwall.Code{Execution: cellwall.NewID("exec"), Source: "print(1)"}
	end, err := s.Run(t.Context(), code, func(_ context.Context, e cellwall.Event) error {
		t.Errorf("it said %s", e.Kind)
		return nil
	})
	if !errors.Is(err, cellwall.ErrSandboxGone) {
		t.Errorf("run: %+v, %v, want %v", end, err, cellwall.ErrSandboxGone)
	}
	if err := s.Bind(t.Context(), claim); !errors.Is(err, cellwall.ErrSandboxGone) {
		t.Errorf("bind: %v, want %v", err, cellwall.ErrSandboxGone)
	}
}

// closing is a context that closes the stems of a backend at the moment when
// Open has chosen one and looks whether its caller is still there.
type closing struct {
	context.Context
	once func()
}

func (c closing) Done() <-chan struct{} { c.once(); return c.Context.Done() }

// A stem may end between its choice and its use: the caller gets a sandbox of
// the next one.
func TestOpen_TriesOnceMoreWhenTheStemIsGone(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	spec := cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()}
	if err := b.Warm(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	closed := false
	s, err := b.Open(closing{t.Context(), sync.OnceFunc(func() { native.CloseStems(b); closed = true })}, spec)
	if err != nil || !closed {
		t.Fatalf("%v, the stem was closed: %v", err, closed)
	}
	defer s.Close()
	if got := ask(t, s, "print('young')"); got != "young\n" {
		t.Errorf("it printed %q", got)
	}
}

// An interrupt during the first start must not wait for what nobody needs.
func TestClose_EndsAStartUnderWay(t *testing.T) {
	testkit.RequireRoot(t)
	b := openUnclosed(t)
	warm := make(chan error, 1)
	go func() {
		warm <- b.Warm(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	}()
	for len(wardens(t)) == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if err := b.Close(); err != nil {
		t.Errorf("close backend: %v", err)
	}
	if err := <-warm; err == nil {
		t.Error("closing waited until the zygote was warm")
	}
	if left := wardens(t); len(left) != 0 {
		t.Errorf("wardens are left: %v", left)
	}
}
