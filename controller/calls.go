package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// What the calls of one execution may come to together.
const (
	maxCalls     = 100
	maxCallBytes = 32 << 20 // arguments and results
	maxCallTime  = time.Minute
	maxMessage   = 4 << 10 // of a failure
)

// endPatience is how long the end of an execution waits for calls that it has
// cancelled: one that goes on longer is left to itself.
const endPatience = 5 * time.Second

// desk answers the calls of one execution: it counts them against their bounds,
// holds them to their schema, and notes what came of each.
type desk struct {
	x         *execution
	functions map[string]cellwall.Function
	masking   Masking    // for what is told outside; nil = nothing is masked
	one       sync.Mutex // held by the one call that is an execution of its own
	running   sync.WaitGroup

	mu    sync.Mutex // guards the rest
	noted []EntryCall
	count int
	bytes int
	spent time.Duration
	over  int // calls beyond a bound
}

// takeCalls has code call what the request registers.
func (x *execution) takeCalls(code *cellwall.Code) {
	functions := x.req.Functions
	if len(functions) == 0 || x.describe || x.begins != "" {
		return
	}
	d := &desk{x: x, functions: make(map[string]cellwall.Function, len(functions))}
	for _, f := range functions {
		d.functions[f.Name] = f
	}
	if x.masking != nil {
		d.masking = x.c.opts.Mask(x.req.Identity)
	}
	x.desk, code.Functions, code.Caller = d, functions, d.answer
}

// answer is the cellwall.Caller of the execution.
func (d *desk) answer(ctx context.Context, call cellwall.Call) cellwall.Reply {
	began := time.Now()
	left, bound := d.begin(len(call.Arguments))
	if bound != "" {
		return refusal(cellwall.CallRefused, "%s: the calls of one execution are bounded; do with what has come", bound)
	}
	reply := d.caught(call, func() cellwall.Reply { return d.checked(ctx, call, left) })
	d.end(call, reply, time.Since(began))
	return reply
}

// begin counts a call, and says which bound keeps it from being made. left is the time
// that calls may still take.
func (d *desk) begin(size int) (left time.Duration, bound string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch left = maxCallTime - d.spent; {
	case d.count == maxCalls:
		bound = fmt.Sprintf("%d calls were made", maxCalls)
	case d.bytes+size > maxCallBytes:
		bound = fmt.Sprintf("calls have passed %d MiB", maxCallBytes>>20)
	case left <= 0:
		bound = fmt.Sprintf("calls have taken %v", maxCallTime)
	default:
		d.count++
		d.bytes += size
		return left, ""
	}
	d.over++
	return 0, bound
}

// checked makes a call that is one of a function that there is, with its arguments.
func (d *desk) checked(ctx context.Context, call cellwall.Call, left time.Duration) cellwall.Reply {
	f, ok := d.functions[call.Name]
	if !ok {
		return refusal(cellwall.CallUnknown, "there is no tool of that name")
	}
	arguments, problem := f.Check(call.Arguments)
	if problem != "" {
		return refusal(cellwall.CallArguments, "tools.%s: %s", f.Name, problem)
	}
	if d.masking != nil && f.Outside {
		d.mu.Lock()
		arguments = d.masking.JSON(arguments, true)
		d.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	call.Arguments = arguments
	reply := d.made(ctx, f, call)
	return d.bounded(f, reply)
}

// made calls the function, and waits no longer than ctx lasts.
func (d *desk) made(ctx context.Context, f cellwall.Function, call cellwall.Call) cellwall.Reply {
	call, release, err := d.whole(f, call)
	if err != nil {
		return refusal(cellwall.CallFailed, "tools.%s: its inputs could not be passed on", f.Name)
	}
	answered := make(chan cellwall.Reply, 1)
	d.running.Go(func() {
		defer release()
		if f.Nested {
			d.one.Lock()
			defer d.one.Unlock()
		}
		if ctx.Err() == nil {
			answered <- d.caught(call, func() cellwall.Reply { return f.Call(ctx, call) })
		}
	})
	select {
	case reply := <-answered:
		return reply
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return refusal(cellwall.CallTimeout, "tools.%s did not answer in time", f.Name)
	}
	return refusal(cellwall.CallEnded, "the execution ended before tools.%s answered", f.Name)
}

// whole adds what the host knows of a call. release gives back what it holds.
func (d *desk) whole(f cellwall.Function, call cellwall.Call) (_ cellwall.Call, release func(), err error) {
	x := d.x
	call.Execution, call.Identity, call.Backend = x.result.ID, x.req.Identity, x.req.Backend
	call.Language, call.AllowDegraded, call.Limits = x.req.Language, x.req.AllowDegraded, x.spec.Limits
	if x.result.SessionID != nil {
		call.Session = *x.result.SessionID
	}
	if !f.Nested {
		return call, func() {}, nil
	}
	inputs := x.req.Datasets
	if x.opened != nil {
		inputs = x.opened.inputs
	}
	// Descriptors of its own: who gave ours may close them once the execution is over.
	if call.Inputs, err = duplicates(inputs); err != nil {
		return call, nil, err
	}
	return call, func() { closeInputs(call.Inputs) }, nil
}

// bounded holds a reply to what may go into a sandbox.
func (d *desk) bounded(f cellwall.Function, r cellwall.Reply) cellwall.Reply {
	r.Message = cut(strings.ToValidUTF8(r.Message, "\uFFFD"), maxMessage)
	if r.Failure != "" {
		return r
	}
	if len(r.Result) > cellwall.MaxReplyBytes {
		return refusal(cellwall.CallFailed, "tools.%s: its result has %d bytes, more than %d", f.Name, len(r.Result), cellwall.MaxReplyBytes)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes+len(r.Result) > maxCallBytes {
		return refusal(cellwall.CallRefused, "tools.%s: with its result calls would have passed %d MiB", f.Name, maxCallBytes>>20)
	}
	d.bytes += len(r.Result)
	return r
}

// end notes what came of a call.
func (d *desk) end(call cellwall.Call, r cellwall.Reply, took time.Duration) {
	e := EntryCall{
		Number: call.Number, Name: cut(strings.ToValidUTF8(call.Name, "\uFFFD"), maxCallName), Arguments: summary(call.Arguments),
		ArgumentsSHA256: digestOf(call.Arguments), Outcome: "ok", ResultBytes: len(r.Result), MS: milliseconds(took),
	}
	if r.Failure != "" {
		e.Outcome = string(r.Failure)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent += took
	d.noted = append(d.noted, e)
}

// finish waits for calls that the end of the run has cancelled.
func (d *desk) finish() {
	if d == nil {
		return
	}
	done := make(chan struct{})
	go func() { d.running.Wait(); close(done) }()
	patience := time.NewTimer(endPatience)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		d.x.c.opts.Logger.Warn("a call goes on after its execution", "execution", d.x.result.ID)
	}
}

func refusal(why cellwall.CallFailure, format string, args ...any) cellwall.Reply {
	return cellwall.Reply{Failure: why, Message: fmt.Sprintf(format, args...)}
}

// admitFunctions refuses functions that no sandbox could be told of.
func admitFunctions(functions []cellwall.Function) error {
	seen := map[string]bool{}
	for _, f := range functions {
		var why error
		switch {
		case len(functions) > cellwall.MaxFunctions:
			why = fmt.Errorf("%d are more than %d", len(functions), cellwall.MaxFunctions)
		case !cellwall.ValidFunctionName(f.Name):
			why = fmt.Errorf("no code can write tools.%s", cut(f.Name, maxCallName))
		case seen[f.Name]:
			why = fmt.Errorf("two are named %q", f.Name)
		case f.Check == nil || f.Call == nil || !json.Valid(f.Parameters):
			why = fmt.Errorf("%q has nothing that checks or answers its calls", f.Name)
		case len(f.Description)+len(f.Parameters) > cellwall.MaxFunctionBytes:
			why = fmt.Errorf("%q has more than %d bytes of description and parameters", f.Name, cellwall.MaxFunctionBytes)
		}
		if why != nil {
			return bad("register functions", why, "a name is small letters, digits and _, and stands once")
		}
		seen[f.Name] = true
	}
	return nil
}
