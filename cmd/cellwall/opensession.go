package main

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
	"github.com/cellwall/cellwall/session"
)

// openedSession is a session with the house around it.
type openedSession struct {
	*session.Session
	house *house
	began *cellwall.Result // how its inputs were read
}

// close ends the session and puts everything away. The first error is the one to
// tell: what is in err already stays.
func (o *openedSession) close(err *error) {
	if closeErr := o.house.Close(); closeErr != nil && *err == nil {
		*err = fmt.Errorf("put session away: %w", closeErr)
	}
}

// openSession opens the house and a session in it, warmed. quiet: nothing is
// said about it.
func (p *program) openSession(
	ctx context.Context, c *config, req cellwall.Request, b cellwall.Budget, review reviewSettings, quiet bool,
) (_ *openedSession, err error) {
	h, err := p.openHouse(c, houseOptions{backend: req.Backend, environment: req.Environment, budget: b, degraded: req.AllowDegraded, review: review})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.Close() // the first error is the one to tell
		}
	}()
	if err := p.warm(ctx, h, req, quiet); err != nil {
		return nil, err
	}
	s, began, err := h.sessions.Create(ctx, req, nil)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, overBeforeItBegan(began)
	}
	return &openedSession{Session: s, house: h, began: began}, nil
}

// overBeforeItBegan is the error of a session whose inputs ended it.
func overBeforeItBegan(r *cellwall.Result) error {
	return &cellwall.Error{
		Code: cellwall.CodeDatasetUnreadable, Op: "open session",
		Err: fmt.Errorf("reading its data ended it: %s (%s)", r.Status, r.Cause), Hint: r.Observation.RetryHint,
	}
}

// beginning is how its inputs were read.
func (o *openedSession) beginning() *cellwall.Result { return o.began }

// receipt says what runs this session's cells.
func (o *openedSession) receipt() notebook.Receipt { return receiptOf(o.ID(), o.began) }

func receiptOf(id string, began *cellwall.Result) notebook.Receipt {
	r := notebook.Receipt{Session: id, Inputs: []cellwall.InputFact{}}
	if began == nil {
		return r
	}
	r.Backend, r.Environment = began.Boundary.Backend, began.Boundary.Environment
	for _, d := range began.Datasets {
		r.Inputs = append(r.Inputs, cellwall.InputFact{Name: d.Name, Bytes: d.Bytes, SHA256: d.SHA256})
	}
	return r
}
