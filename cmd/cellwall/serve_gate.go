package main

import (
	"errors"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// gate says whether new work may begin, and counts what has begun. Reading goes
// on whatever it says.
type gate struct {
	locked  func() error // nil unless the service is locked down
	healthy func() error // nil while records can be written

	mu       sync.Mutex
	draining bool
	inside   int
	empty    chan struct{} // closed when draining and nobody is inside
}

func newGate(locked, healthy func() error) *gate {
	return &gate{locked: locked, healthy: healthy, empty: make(chan struct{})}
}

// Open is nil while work may begin.
func (g *gate) Open() error {
	g.mu.Lock()
	draining := g.draining
	g.mu.Unlock()
	if draining {
		return errDraining()
	}
	if err := g.locked(); err != nil {
		return err
	}
	if err := g.healthy(); err != nil {
		return &cellwall.Error{
			Code: cellwall.CodeBusy, Op: "begin work", Err: errors.New("records cannot be written now"),
			Hint: "try again later; nothing runs that cannot be recorded", RetryAfter: 5 * time.Second,
		}
	}
	return nil
}

func errDraining() error {
	return &cellwall.Error{
		Code: cellwall.CodeDraining, Op: "begin work", Err: errors.New("the service is stopping"),
		Hint: "try again: another instance, or this one when it is back", RetryAfter: 5 * time.Second,
	}
}

// Enter counts one execution in, unless the gate is closed. leave is called once.
func (g *gate) Enter() (leave func(), err error) {
	if err := g.Open(); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.draining {
		return nil, errDraining()
	}
	g.inside++
	return g.leave, nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.draining && g.inside == 0 {
		close(g.empty)
	}
}

// Drain closes the gate for good and returns what is closed when nobody is
// inside any more.
func (g *gate) Drain() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.draining {
		g.draining = true
		if g.inside == 0 {
			close(g.empty)
		}
	}
	return g.empty
}
