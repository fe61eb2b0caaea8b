package native

import (
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// cageClock is the processor time of a session's cages. cages.mu guards it.
type cageClock struct {
	gone time.Duration                   // of those that were removed
	read map[*cgroup.Group]time.Duration // of those that stand, as of the last look
	out  map[*cgroup.Group]bool          // of them, in whom nobody lives any more
	seen time.Time                       // when they were looked at
}

func newCageClock() cageClock {
	return cageClock{read: map[*cgroup.Group]time.Duration{}, out: map[*cgroup.Group]bool{}}
}

// cageLook is how long the cages are not looked at again. Who waits with a checkpoint
// has run for milliseconds; what a cell had it run is counted a second late.
const cageLook = time.Second

// spent is the processor time of all cages, those that are gone included; at this
// moment, when that is asked for.
func (c *cages) spent(now bool) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now || time.Since(c.clock.seen) >= cageLook {
		c.clock.seen = time.Now()
		for _, g := range c.all {
			if !c.clock.out[g] {
				c.look(g)
			}
		}
	}
	sum := c.clock.gone
	for _, spent := range c.clock.read {
		sum += spent
	}
	return sum
}

// look reads the counter of a cage. The caller holds mu.
func (c *cages) look(g *cgroup.Group) {
	spent, err := g.CPU()
	if err != nil {
		return // it goes just now, and was looked at before
	}
	c.clock.read[g] = max(c.clock.read[g], spent)
}

// clockOut reads for good what a cage has used in which nobody lives any more.
func (c *cages) clockOut(g *cgroup.Group) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.clock.out[g] {
		c.look(g)
		c.clock.out[g] = true
	}
}

// clockGone keeps what a cage has used that is removed. The caller holds mu.
func (c *cages) clockGone(g *cgroup.Group) {
	c.clock.gone += c.clock.read[g]
	delete(c.clock.read, g)
	delete(c.clock.out, g)
}
