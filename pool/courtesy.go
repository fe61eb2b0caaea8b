package pool

import (
	"context"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// patience is how long a run goes before others since its claim began, and how long in
// a row one run after another does. Most analyses are over by then.
const patience = 25 * time.Millisecond

// courtesy has sandboxes opened for others wait while runs that go before them are
// at work: opening one takes as much of a processor as a short run. The zero value
// is ready.
type courtesy struct {
	mu    sync.Mutex
	runs  int           // that are at work
	over  chan struct{} // closed when none is; nil = none is
	since time.Time     // from when on one at least is
}

// begin counts a run, and returns what ends it: at the latest when patience does.
func (c *courtesy) begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == 0 {
		c.over, c.since = make(chan struct{}), time.Now()
	}
	c.runs++
	end = sync.OnceFunc(c.end)
	time.AfterFunc(patience, end)
	return end
}

func (c *courtesy) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs--; c.runs == 0 {
		close(c.over)
		c.over = nil
	}
}

// wait waits until no such run is at work, or some have been for as long as patience
// lasts, or ctx ends: runs without a pause do not keep the stock from being filled.
func (c *courtesy) wait(ctx context.Context) {
	c.mu.Lock()
	over, left := c.over, patience-time.Since(c.since)
	c.mu.Unlock()
	if over == nil || left <= 0 {
		return
	}
	enough := time.NewTimer(left)
	defer enough.Stop()
	select {
	case <-over:
	case <-enough.C:
	case <-ctx.Done():
	}
}

// after is open with a wait before it.
func (c *courtesy) after(open openFunc) openFunc {
	return func(ctx context.Context) (cellwall.Sandbox, error) {
		c.wait(ctx)
		return open(ctx)
	}
}
