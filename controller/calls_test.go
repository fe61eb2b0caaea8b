package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// caller is a sandbox whose code calls.
type caller struct {
	*script

	code func(ctx context.Context, call func(name, arguments string) cellwall.Reply)
}

func (c caller) Run(ctx context.Context, code cellwall.Code, _ cellwall.Sink) (cellwall.End, error) {
	c.script.ran, c.script.code = true, code
	var n atomic.Uint64
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.code(ctx, func(name, arguments string) cellwall.Reply {
		return code.Caller(ctx, cellwall.Call{Execution: code.Execution, Number: n.Add(1), Name: name, Arguments: []byte(arguments)})
	})
	return cellwall.End{Status: cellwall.StatusOK}, nil
}

// calling runs code that calls, over a house of its own.
func calling(
	t *testing.T, req cellwall.Request, code func(ctx context.Context, call func(name, arguments string) cellwall.Reply),
) (*cellwall.Result, Entry) {
	t.Helper()
	h := &house{}
	c := h.controller(t)
	c.opts.Pools = map[string]Sandboxes{"native": callerPool{h, caller{ok(), code}}}
	req.Code = "1"
	r, err := c.Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r, h.entries[0]
}

type callerPool struct {
	*house

	sandbox cellwall.Sandbox
}

func (p callerPool) Claim(context.Context, cellwall.Spec) (cellwall.Sandbox, error) {
	return p.sandbox, nil
}

func function(name string, do func(context.Context, cellwall.Call) cellwall.Reply) cellwall.Function {
	return cellwall.Function{
		Name: name, Parameters: json.RawMessage(`{}`), Call: do,
		Check: func(a json.RawMessage) (json.RawMessage, string) {
			if strings.Contains(string(a), "wrong") {
				return nil, "x: is wrong"
			}
			return a, ""
		},
	}
}

func echo(_ context.Context, call cellwall.Call) cellwall.Reply {
	return cellwall.Reply{Result: call.Arguments}
}

func TestM50_ACallIsCheckedAnsweredAndRecorded(t *testing.T) {
	told := make(chan cellwall.Call, 1)
	f := function("f", func(ctx context.Context, call cellwall.Call) cellwall.Reply { told <- call; return echo(ctx, call) })
	r, entry := calling(t, cellwall.Request{Functions: []cellwall.Function{f}, Identity: cellwall.Identity{Tenant: "a"}}, func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
		for _, test := range []struct {
			name, arguments string
			want            cellwall.CallFailure
		}{{"f", `{"x":1}`, ""}, {"g", `{}`, cellwall.CallUnknown}, {"f", `{"x":"wrong"}`, cellwall.CallArguments}} {
			if got := call(test.name, test.arguments); got.Failure != test.want {
				t.Errorf("%s(%s): %+v", test.name, test.arguments, got)
			}
		}
	})
	call := <-told
	if call.Identity.Tenant != "a" || call.Execution != r.ID || call.Inputs != nil || len(told) != 0 {
		t.Errorf("the function is told %+v, and %d calls more", call, len(told))
	}
	var said []string
	for _, c := range entry.Calls {
		said = append(said, fmt.Sprint(c.Number, " ", c.Name, " ", c.Arguments, " ", c.Outcome, " ", c.ResultBytes, " ", len(c.ArgumentsSHA256)))
	}
	want := []string{`1 f {"x":1} ok 7 64`, `2 g {} unknown 0 64`, `3 f {"x":"wrong"} arguments 0 64`}
	if !slices.Equal(said, want) || entry.CallsOver != 0 {
		t.Errorf("the record says %q, want %q", said, want)
	}
}

func TestM50_CallsHaveBounds(t *testing.T) {
	large := `"` + strings.Repeat("x", cellwall.MaxReplyBytes-2) + `"`
	replies := map[string]cellwall.Reply{
		"large": {Result: json.RawMessage(large)}, "larger": {Result: json.RawMessage(large + " ")},
		"long": {Failure: cellwall.CallFailed, Message: strings.Repeat("é", maxMessage)},
	}
	var functions []cellwall.Function
	for name, reply := range replies {
		functions = append(functions, function(name, func(context.Context, cellwall.Call) cellwall.Reply { return reply }))
	}
	_, entry := calling(t, cellwall.Request{Functions: functions}, func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
		if r := call("larger", `{}`); r.Failure != cellwall.CallFailed || r.Result != nil {
			t.Errorf("more than one result may have: %.100v", r)
		}
		if r := call("long", `{}`); len(r.Message) != maxMessage {
			t.Errorf("a message of %d bytes", len(r.Message))
		}
		for n := range maxCallBytes / cellwall.MaxReplyBytes {
			r := call("large", `{}`)
			if last := n == maxCallBytes/cellwall.MaxReplyBytes-1; (r.Failure == cellwall.CallRefused) != last {
				t.Errorf("result %d: %s", n, r.Failure)
			}
		}
		for n := range maxCalls {
			r := call("long", `{}`)
			if past := n >= maxCalls-2-maxCallBytes/cellwall.MaxReplyBytes; (r.Failure == cellwall.CallRefused) != past {
				t.Errorf("call %d: %s", n, r.Failure)
			}
		}
	})
	if len(entry.Calls) != maxCalls || entry.CallsOver != 2+maxCallBytes/cellwall.MaxReplyBytes {
		t.Errorf("%d calls are recorded, and %d beyond", len(entry.Calls), entry.CallsOver)
	}
}

func TestM50_CallsHaveTimeTogetherAndEndWithTheirExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := function("slow", func(ctx context.Context, _ cellwall.Call) cellwall.Reply {
			select {
			case <-time.After(40 * time.Second):
				return cellwall.Reply{Result: json.RawMessage("1")}
			case <-ctx.Done():
				return cellwall.Reply{}
			}
		})
		_, entry := calling(t, cellwall.Request{Functions: []cellwall.Function{slow}}, func(ctx context.Context, call func(name, arguments string) cellwall.Reply) {
			for _, want := range []cellwall.CallFailure{"", cellwall.CallTimeout, cellwall.CallRefused} {
				if r := call("slow", `{}`); r.Failure != want {
					t.Errorf("%+v, want %q", r, want)
				}
			}
		})
		if len(entry.Calls) != 2 || entry.Calls[1].MS != 20_000 {
			t.Errorf("%+v", entry.Calls)
		}
		deaf := function("deaf", func(context.Context, cellwall.Call) cellwall.Reply {
			time.Sleep(time.Hour) // it does not hear that it is over
			return cellwall.Reply{}
		})
		began := time.Now()
		_, entry = calling(t, cellwall.Request{Functions: []cellwall.Function{deaf}}, func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
			go call("deaf", `{}`)
			time.Sleep(time.Second)
		})
		if took := time.Since(began); took != time.Second+endPatience || entry.Calls[0].Outcome != string(cellwall.CallEnded) {
			t.Errorf("an execution of 1 s whose function does not hear took %v: %+v", took, entry.Calls)
		}
		time.Sleep(time.Hour)
	})
}

func TestM50_ACallThatIsAnExecutionHasTheInputsAndComesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var running, most atomic.Int32
	nested := function("nested", func(_ context.Context, call cellwall.Call) cellwall.Reply {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		text := make([]byte, 4)
		if _, err := descriptor(call.Inputs[0].FD).ReadAt(text, 0); err != nil || string(text) != "x\n1\n" || call.Inputs[0].FD == int(f.Fd()) {
			t.Errorf("%+v: %q, %v", call.Inputs, text, err)
		}
		time.Sleep(2 * time.Millisecond)
		return cellwall.Reply{Result: json.RawMessage("1")}
	})
	nested.Nested = true
	calling(t, cellwall.Request{
		Functions: []cellwall.Function{nested}, Datasets: []cellwall.Input{{Name: "a.csv", FD: int(f.Fd()), Size: 4}},
	}, func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
		var all sync.WaitGroup
		for range cellwall.MaxCallsAtOnce {
			all.Go(func() { call("nested", `{}`) })
		}
		all.Wait()
	})
	if most.Load() != 1 {
		t.Errorf("%d ran at once", most.Load())
	}
}

// A program of ours that an execution calls for takes no turn: it would wait for the
// one that its caller holds.
func TestM50_AProgramOfOursTakesNoTurnAndIsNotChecked(t *testing.T) {
	h := &house{next: ok()}
	c := h.controller(t)
	c.opts.Admission = noRoom{}
	c.opts.Check = func(context.Context, cellwall.Request, cellwall.Environment, string) ([]cellwall.Finding, bool, error) {
		return []cellwall.Finding{{Rule: "x"}}, true, nil
	}
	r, err := c.Run(t.Context(), cellwall.Request{Code: "1", Parent: "exec_a", Own: true})
	if err != nil || !r.OK || h.spec.Limits.Rows != 9 {
		t.Fatalf("%+v, %v", r, err)
	}
	if e := h.entries[0]; e.Parent != "exec_a" || e.Result != nil {
		t.Errorf("%+v", e)
	}
	if _, err := c.Run(t.Context(), cellwall.Request{Code: "1"}); cellwall.CodeOf(err) != cellwall.CodeBusy {
		t.Errorf("anybody else: %v", err)
	}
}

type noRoom struct{}

func (noRoom) Narrow(req *cellwall.Request) error {
	req.Limits.Rows = 9
	return nil
}

func (noRoom) Enter(context.Context, cellwall.Request) (Turn, *cellwall.Stop, error) {
	return Turn{}, nil, &cellwall.Error{Code: cellwall.CodeBusy, Op: "enter"}
}

func TestM50_FunctionsThatNoSandboxCouldBeToldOfAreRefused(t *testing.T) {
	good := function("f", echo)
	bare := good
	bare.Check = nil
	mute := good
	mute.Parameters = json.RawMessage(`{`)
	fat := good
	fat.Description = strings.Repeat("x", cellwall.MaxFunctionBytes)
	many := make([]cellwall.Function, cellwall.MaxFunctions+1)
	for i := range many {
		many[i] = function(fmt.Sprint("f", i), echo)
	}
	for name, functions := range map[string][]cellwall.Function{
		"two of one name": {good, good}, "no check": {bare}, "no schema": {mute}, "too long": {fat}, "too many": many,
		"a word of Python": {function("lambda", echo)}, "hidden": {function("__reduce__", echo)}, "a class": {function("ToolError", echo)},
		"no name": {function("", echo)}, "dots": {function("a.b", echo)}, "letters of others": {function("查询", echo)},
	} {
		h := &house{next: ok()}
		if _, err := h.controller(t).Run(t.Context(), cellwall.Request{Code: "1", Functions: functions}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestM50_PersonalDataLeaveMaskedAndAreCounted(t *testing.T) {
	h := &house{}
	c := h.controller(t)
	c.opts.Mask = func(cellwall.Identity) Masking { return &star{} }
	var told []string
	f := function("outside", func(_ context.Context, call cellwall.Call) cellwall.Reply {
		told = append(told, string(call.Arguments))
		return cellwall.Reply{Result: json.RawMessage("1")}
	})
	f.Outside = true
	g := f
	g.Name, g.Outside = "inside", false
	c.opts.Pools = map[string]Sandboxes{"native": callerPool{h, caller{ok(), func(_ context.Context, call func(name, arguments string) cellwall.Reply) {
		call("outside", `{"p":"secret"}`)
		call("inside", `{"p":"secret"}`)
	}}}}
	if _, err := c.Run(t.Context(), cellwall.Request{Code: "1", Functions: []cellwall.Function{f, g}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []string{`{"p":"******"}`, `{"p":"secret"}`}) {
		t.Errorf("told %q", told)
	}
	if n := h.evidence.Notices; len(n) != 1 || n[0].Args["counts"] != "word 1" {
		t.Errorf("%+v", n)
	}
}

// star masks one word.
type star struct{ n int }

func (s *star) Text(text string) string {
	s.n += strings.Count(text, "secret")
	return strings.ReplaceAll(text, "secret", "******")
}
func (s *star) JSON(raw []byte, _ bool) []byte { return []byte(s.Text(string(raw))) }
func (s *star) Stream() MaskedStream           { return plainStream{} }
func (s *star) Counts() map[string]int {
	if s.n == 0 {
		return nil
	}
	return map[string]int{"word": s.n}
}

func (s *star) Most() map[string]int { return nil }

type plainStream struct{}

func (plainStream) Push(piece []byte) []byte { return piece }
func (plainStream) Flush() []byte            { return nil }
