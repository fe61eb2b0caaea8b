package native_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// The deadline of a run begins when its code was sent. An interpreter that does
// not read it has nobody waiting for ever.
func TestRun_AnInterpreterThatDoesNotReadIsNotWaitedFor(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	stopped := below(os.Getpid(), "interpreter")
	if len(stopped) != 1 {
		t.Fatalf("interpreters: %v", stopped)
	}
	if err := syscall.Kill(stopped[0], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	native.StretchPatience(b, func(time.Duration) time.Duration { return time.Second })
	more := "#" + strings.Repeat("x", 900<<10) // than fits into the channel
	run := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: more, Timeout: time.Minute}
	_, err = s.Run(t.Context(), run, func(context.Context, cellwall.Event) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "send code") {
		t.Errorf("ended with %v", err)
	}
	native.StretchPatience(b, func(time.Duration) time.Duration { return time.Minute })
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
