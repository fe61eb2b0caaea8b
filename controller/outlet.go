package controller

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// defaultSinkPatience is how long a caller's sink may take for one event.
const defaultSinkPatience = 30 * time.Second

var errSinkBlocked = errors.New("the sink did not take an event in time")

// outlet hands events to a caller's sink, one after the other, and waits for
// each: a slow sink slows the program down. One that never returns is left to
// itself, with a copy of what it was given, and loses only its own run: when the
// patience is over, or at once when the run's context is.
type outlet struct {
	ctx      context.Context
	sink     cellwall.Sink
	patience time.Duration
	events   chan cellwall.Event
	answers  chan error // buffered, so that a late answer keeps nobody
	timer    *time.Timer
}

// newOutlet starts an outlet. Close it.
func newOutlet(ctx context.Context, sink cellwall.Sink, patience time.Duration) *outlet {
	o := &outlet{
		ctx: ctx, sink: sink, patience: patience, events: make(chan cellwall.Event), answers: make(chan error, 1),
		timer: time.NewTimer(patience),
	}
	go func() {
		for e := range o.events {
			o.answers <- o.sink(ctx, e)
		}
	}()
	return o
}

// hand gives the sink one event and returns its answer. After an error there is
// no other call.
func (o *outlet) hand(e cellwall.Event) error {
	e.Data = bytes.Clone(e.Data)
	o.timer.Reset(o.patience)
	o.events <- e // it waits for this one: the last was answered
	select {
	case err := <-o.answers:
		return err
	case <-o.timer.C:
		return errSinkBlocked
	case <-o.ctx.Done(): // who has cancelled waits for the end, and not for this sink
		return context.Cause(o.ctx)
	}
}

// close lets the sink's goroutine end, when the sink does.
func (o *outlet) close() {
	o.timer.Stop()
	close(o.events)
}
