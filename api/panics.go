package api

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/cellwall/cellwall"
)

// errPanicked is of work in which code of ours panicked: nobody knows how far it came.
var errPanicked = errors.New("it panicked")

// caught does what no call waits for, and makes an error of its panic: that is a fault
// of one piece of work, and must not end the service with all the others.
func (s *Server) caught(id string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.Error("work panicked", "id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", errPanicked, p)
		}
	}()
	return do()
}

// run runs a task apart from the call that began it.
func (s *Server) run(ctx context.Context, t task, sink cellwall.Sink, before begin) (result *cellwall.Result, err error) {
	err = s.caught(t.id, func() (err error) {
		result, err = t.run(ctx, sink, before)
		return err
	})
	return result, err
}
