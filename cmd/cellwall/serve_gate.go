package main

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// gate says whether new work may begin, and counts the calls that may be work.
// Reading goes on whatever it says.
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
		return &cellwall.Error{
			Code: cellwall.CodeDraining, Op: "begin work", Err: errors.New("the service is stopping"),
			Hint: "try again: another instance, or this one when it is back", RetryAfter: 5 * time.Second,
		}
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

// counted counts the calls of next that do more than read.
func (g *gate) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			g.enter()
			defer g.leave()
		}
		next.ServeHTTP(w, r)
	})
}

func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside++
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.settle()
}

// Drain closes the gate for good and returns what is closed when nobody is
// inside.
func (g *gate) Drain() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.draining = true
	g.settle()
	return g.empty
}

// settle tells of an empty gate, once. The caller holds mu.
func (g *gate) settle() {
	if !g.draining || g.inside > 0 {
		return
	}
	select {
	case <-g.empty:
	default:
		close(g.empty)
	}
}
