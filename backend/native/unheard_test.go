package native_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// A caller who takes not even the first event gets no more time for its program
// than one who takes them all: neither the deadline nor a cancellation waits
// for the sink.
func TestRun_ASinkThatBlocksOnTheFirstEventDelaysNoEnd(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	for name, c := range map[string]struct {
		timeout time.Duration
		leaves  bool
		want    cellwall.Status
	}{
		"deadline":  {500 * time.Millisecond, false, cellwall.StatusTimeout},
		"cancelled": {time.Hour, true, cellwall.StatusCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			program := onlyInterpreter(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			outlived := false
			code := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: "while True: pass", Timeout: c.timeout}
			end, err := s.Run(ctx, code, func(_ context.Context, e cellwall.Event) error {
				if e.Kind != cellwall.EventStarted {
					return nil
				}
				if c.leaves {
					leave()
				}
				bound, cancel := context.WithTimeout(t.Context(), testkit.Scale(15*time.Second))
				defer cancel()
				outlived = program.Wait(bound) != nil
				return nil
			})
			if err != nil || end.Status != c.want {
				t.Errorf("ended as %s (%s), %v", end.Status, end.Cause, err)
			}
			if outlived {
				t.Error("the program lives for as long as the sink blocks")
			}
		})
	}
}

// onlyInterpreter holds the one interpreter that is below this process.
func onlyInterpreter(t *testing.T) *pidfd.Process {
	t.Helper()
	found := below(os.Getpid(), "interpreter")
	if len(found) != 1 {
		t.Fatalf("interpreters: %v", found)
	}
	p, err := pidfd.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
