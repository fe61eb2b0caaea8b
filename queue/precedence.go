package queue

import (
	"time"

	"github.com/cellwall/cellwall"
)

// many is from how many requests on, run or wait, a tenant has many here: as many as
// would have all turns.
func (q *Queue) many() int { return max(2, q.opts.Servers) }

// came notes that one request more runs or waits. The caller holds mu.
func (q *Queue) came(l *line) {
	if l.here() == q.many() {
		q.crowds++
	}
}

// went notes that one request less runs or waits. The caller holds mu.
func (q *Queue) went(l *line) {
	if l.here() == q.many()-1 {
		q.crowds--
	}
}

// precedence is how the tenant of a turn that begins stands beside the others.
// The caller holds mu.
func (q *Queue) precedence(l *line) cellwall.Precedence {
	switch {
	case l.here() >= q.many() && len(q.lines) > 1:
		return cellwall.Behind
	case l.here() == 1 && l.paused && q.crowds > 0:
		return cellwall.Before
	default:
		return cellwall.Even
	}
}

// pause notes whether a tenant that comes had been away for as long as its latest
// turn took: who runs one after another without a pause does not come now and then.
// The caller holds mu.
func (l *line) pause(now time.Time) {
	if l.here() == 0 {
		l.paused = now.Sub(l.left) >= l.took
	}
}
