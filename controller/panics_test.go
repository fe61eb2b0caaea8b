package controller

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// faulty is a sandbox whose backend has a fault of ours in it.
type faulty struct{ *script }

func (f faulty) Run(context.Context, cellwall.Code, cellwall.Sink) (cellwall.End, error) {
	panic("a fault of ours")
}

func TestM35_AnExecutionInWhichAStagePanicsIsAFailureWithARecord(t *testing.T) {
	h, left := &house{}, 0
	c := h.controller(t)
	c.opts.Pools = map[string]Sandboxes{"native": callerPool{h, faulty{ok()}}}
	c.opts.Admission = &turning{left: &left}
	r, err := c.Run(t.Context(), cellwall.Request{Code: "1"})
	if r != nil || cellwall.CodeOf(err) != cellwall.CodeInternal {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(h.entries) != 1 || h.entries[0].Status != cellwall.StatusInternalError || !strings.Contains(h.entries[0].Failure, "panicked") {
		t.Errorf("recorded as %+v", h.entries)
	}
	if h.destroyed != 1 || left != 1 {
		t.Errorf("%d sandboxes were destroyed, %d turns left", h.destroyed, left)
	}
}

// turning counts the turns that are left.
type turning struct{ left *int }

func (*turning) Narrow(*cellwall.Request) error { return nil }

func (a *turning) Enter(context.Context, cellwall.Request) (Turn, *cellwall.Stop, error) {
	return Turn{Leave: func(*cellwall.Result) { *a.left++ }}, nil, nil
}

func TestM50_ACallThatPanicsIsOneThatFailed(t *testing.T) {
	broken := function("broken", func(context.Context, cellwall.Call) cellwall.Reply { panic("a fault of ours") })
	unchecked := function("unchecked", echo)
	unchecked.Check = func(json.RawMessage) (json.RawMessage, string) { panic("a fault of ours") }
	r, entry := calling(t, cellwall.Request{Functions: []cellwall.Function{broken, unchecked, function("echo", echo)}},
		func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
			for _, name := range []string{"broken", "unchecked"} {
				if r := call(name, `{}`); r.Failure != cellwall.CallFailed || strings.Contains(r.Message, "fault") {
					t.Errorf("%s: %+v", name, r)
				}
			}
			if r := call("echo", `{}`); r.Failure != "" {
				t.Errorf("the next one: %+v", r)
			}
		})
	if !r.OK || len(entry.Calls) != 3 {
		t.Errorf("%+v %+v", r, entry.Calls)
	}
}
