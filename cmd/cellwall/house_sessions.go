package main

import (
	"context"

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
