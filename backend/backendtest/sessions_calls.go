package backendtest

import (
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// runCallsOfCells holds the calls of cells to what those of single programs are held to,
// and demands that the state outlives whatever they do.
func runCallsOfCells(t *testing.T, s Setup) {
	t.Run("LiveOnBehindDeathAndRollback", func(t *testing.T) {
		n, h := begin(t, s, cellwall.Limits{}), &host{}
		n.calls(h, "x = tools.echo(a=41)['a']; kept = tools.echo", "")
		n.died(n.run(h.takes(n.code("tools.echo(); import os; os._exit(7)"))), "crashed exit:7")
		n.calls(h, "print(x + kept(a=1)['a'], tools.table().n.sum())", "42 6")
		n.calls(h, "x = 0", "")
		n.back()
		n.calls(h, "print(x, tools.echo(a=2))", "41 {'a': 2}")
		n.says("print('tools' in globals())", "False")
	})
	t.Run("AnInterruptEndsTheWait", func(t *testing.T) {
		n, h := begin(t, s, cellwall.Limits{}), &host{}
		n.says("x = 5", "")
		got, err := n.try(t.Context(), h.takes(n.code("print('on', flush=True); tools.never()")), func() error {
			time.AfterFunc(200*time.Millisecond, func() { _ = n.Interrupt("") })
			return nil
		})
		if err != nil || got.Status != cellwall.StatusError || got.Restored != nil {
			t.Errorf("%+v, %v", got, err)
		}
		if calls, ended := h.seen(); calls != 1 || ended != 1 {
			t.Errorf("%d calls, %d heard of the end", calls, ended)
		}
		n.calls(h, "print(x, tools.echo(a=x))", "5 {'a': 5}")
	})
	t.Run("TheDeadlineGoesOn", func(t *testing.T) {
		n, h := begin(t, s, cellwall.Limits{}), &host{}
		n.says("x = 5", "")
		c := h.takes(n.code("tools.never()"))
		c.Timeout = testkit.Scale(700 * time.Millisecond)
		n.died(n.run(c), "timeout deadline")
		n.calls(h, "print(x, tools.echo(a=x))", "5 {'a': 5}")
	})
	t.Run("WhatBreaksTheProtocolCostsItsCell", func(t *testing.T) {
		for _, attack := range []string{"call(1); call(1)", "for i in range(1, 20): call(i, 'never')", "call(2)", "send(b'{')"} {
			n, h := begin(t, s, cellwall.Limits{}), &host{}
			n.says("x = 5", "")
			n.died(n.run(h.takes(n.code(rawCalls+attack+"\ntime.sleep(60)"))), "crashed protocol")
			n.calls(h, "print(x, tools.echo(a=x))", "5 {'a': 5}")
		}
	})
	runCallsLeftBehind(t, s)
}

// runCallsLeftBehind has cells end while their calls are under way.
func runCallsLeftBehind(t *testing.T, s Setup) {
	// The cell ends while eight answers of 8 MiB are on their way to it: the one that was
	// begun is in the way, the others are not sent.
	t.Run("HalfAnAnswerIsInNobodysWay", func(t *testing.T) {
		n, h := begin(t, s, cellwall.Limits{}), &host{}
		n.calls(h, rawCalls+"x = 5\nfor i in range(1, 9): call(i, 'large')\ntime.sleep(0.3)", "")
		n.calls(h, "print(x, tools.echo(a=x))", "5 {'a': 5}")
		n.says("print(x)", "5")
	})
	t.Run("AThreadThatGoesOnCallsNothing", func(t *testing.T) {
		n, h := begin(t, s, cellwall.Limits{}), &host{}
		n.calls(h, `import threading, time
said = []
def work():
    time.sleep(0.2)
    try:
        kept()
    except Exception as e:
        said.append(type(e).__name__)
kept = tools.echo
t = threading.Thread(target=work); t.start()`, "")
		n.says("t.join(); print(said)", "['ToolEnded']")
	})
}

// calls runs a cell that may call, must end well and print that.
func (n *notebook) calls(h *host, source, want string) {
	n.t.Helper()
	got := n.run(h.takes(n.code(source)))
	if got.Status != cellwall.StatusOK || strings.TrimSpace(got.out) != want {
		n.t.Errorf("cell %q ended %s %s and printed %q %q, raised %s, want ok and %q", source, got.Status, got.Cause, got.out, got.err, got.raised, want)
	}
}

// back goes to the checkpoint before the last cell.
func (n *notebook) back() {
	n.t.Helper()
	if _, err := n.Interpreter.(cellwall.Checkpointer).Rollback(n.t.Context(), cellwall.Return{}); err != nil {
		n.t.Fatal(err)
	}
}
