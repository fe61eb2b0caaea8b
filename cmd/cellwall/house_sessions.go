package main

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/session"
)

// openSession is how the room of sessions has one opened.
func (h *house) openSession(
	ctx context.Context, req cellwall.Request, id string, sink cellwall.Sink,
) (session.Live, *cellwall.Result, error) {
	opened, result, err := h.controller.Open(ctx, req, controller.Session{ID: id, Sink: sink})
	if opened == nil { // a nil pointer in the interface would be a session
		return nil, result, err
	}
	return opened, result, err
}

// besideSession is how the room of sessions has a branch opened beside its origin.
func (h *house) besideSession(
	ctx context.Context, origin session.Live, _ cellwall.Identity, id string, sink cellwall.Sink,
) (session.Live, []cellwall.Notice, *cellwall.Result, error) {
	from, ok := origin.(*controller.Opened)
	if !ok {
		return nil, nil, nil, fmt.Errorf("open session beside another: it is a %T", origin)
	}
	opened, lost, result, err := from.Beside(ctx, controller.Session{ID: id, Sink: sink})
	if opened == nil {
		return nil, nil, result, err
	}
	return opened, lost, result, err
}
