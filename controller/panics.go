package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/cellwall/cellwall"
)

// errPanicked is the end of a stage in which code of ours panicked.
var errPanicked = errors.New("it panicked")

// worked is work whose panic is a failure of ours like any other: what was sent to a
// sandbox has a record, and whoever waits has an end.
func (x *execution) worked(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			x.panicked("a stage panicked", p)
			x.result.Status, x.result.Cause = cellwall.StatusInternalError, cellwall.CauseInternal
			err = fmt.Errorf("%w: %v", errPanicked, p)
		}
	}()
	return x.work(ctx)
}

// caught makes a call, and tells the code that it failed when it panics: what code may
// call must not end the service.
func (d *desk) caught(call cellwall.Call, do func() cellwall.Reply) (reply cellwall.Reply) {
	defer func() {
		if p := recover(); p != nil {
			d.x.panicked("a call panicked", p)
			reply = refusal(cellwall.CallFailed, "tools.%s: the service failed", call.Name)
		}
	}()
	return do()
}

func (x *execution) panicked(what string, p any) {
	x.c.opts.Logger.Error(what, "execution", x.result.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}
