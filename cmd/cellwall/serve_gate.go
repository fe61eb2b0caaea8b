package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// gate says whether new work may begin, and counts the calls that may be work.
// Reading goes on whatever it says.
type gate struct {
	down    func() bool  // a lockdown is there, whether the service has seen it or not
	healthy func() error // nil while records can be written

	mu       sync.Mutex
	locked   bool
	cut      context.Context // ends what runs, at a lockdown
	cutNow   context.CancelFunc
	draining bool
	inside   int
	working  int           // within
	empty    chan struct{} // closed when draining and nobody is inside
}

func newGate(down func() bool, healthy func() error) *gate {
	g := &gate{down: down, healthy: healthy, empty: make(chan struct{})}
	g.Unlock()
	return g
}

// Open is nil while work may begin.
func (g *gate) Open() error {
	g.mu.Lock()
	draining, locked := g.draining, g.locked
	g.mu.Unlock()
	if draining {
		return &cellwall.Error{
			Code: cellwall.CodeDraining, Op: "begin work", Err: errors.New("the service is stopping"),
			Hint: "try again: another instance, or this one when it is back", RetryAfter: 5 * time.Second,
		}
	}
	if locked || g.down() {
		return errLockedOut()
	}
	if err := g.healthy(); err != nil {
		return &cellwall.Error{
			Code: cellwall.CodeBusy, Op: "begin work", Err: errors.New("records cannot be written now"),
			Hint: "try again later; nothing runs that cannot be recorded", RetryAfter: 5 * time.Second,
		}
	}
	return nil
}

func errLockedOut() error {
	return (&lockdown{}).refusal("the operator ends it; nothing of yours is lost")
}

// lockedOut is nil unless there is a lockdown.
func (g *gate) lockedOut() error {
	g.mu.Lock()
	locked := g.locked
	g.mu.Unlock()
	if locked || g.down() {
		return errLockedOut()
	}
	return nil
}

// still is whether nothing runs that a lockdown ends.
func (g *gate) still() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.working == 0
}

// stopping is whether the service ends.
func (g *gate) stopping() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining
}

// Lock closes the gate and ends what runs; Unlock opens it again.
func (g *gate) Lock() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.locked = true
	g.cutNow()
}

// Unlock opens the gate.
func (g *gate) Unlock() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.locked = false
	g.cut, g.cutNow = context.WithCancel(context.Background())
}

// within returns a ctx that a lockdown ends.
func (g *gate) within(ctx context.Context) (context.Context, func()) {
	down := g.down()
	g.mu.Lock()
	cut := g.cut
	g.working++
	g.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	if down { // and the service is about to see it
		cancel()
	}
	stop := context.AfterFunc(cut, cancel)
	return ctx, func() {
		stop()
		cancel()
		g.mu.Lock()
		g.working--
		g.mu.Unlock()
	}
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
