package queue

import "github.com/cellwall/cellwall"

// many is from how many requests on, run or wait, a tenant has many here.
const many = 2

// came counts a request that runs or waits from now on. The caller holds mu.
func (q *Queue) came(l *line) {
	if l.here++; l.here == many {
		q.crowds++
	}
}

// went takes a request back that came. The caller holds mu.
func (q *Queue) went(l *line) {
	if l.here == many {
		q.crowds--
	}
	l.here--
}

// precedence is how the tenant of a turn that begins stands beside the others.
// The caller holds mu.
func (q *Queue) precedence(l *line) cellwall.Precedence {
	switch {
	case l.here >= many && len(q.lines) > 1:
		return cellwall.Behind
	case l.here < many && q.crowds > 0:
		return cellwall.Before
	default:
		return cellwall.Even
	}
}
