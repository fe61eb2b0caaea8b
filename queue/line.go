package queue

import (
	"container/heap"
	"container/list"
	"time"
)

// line is one tenant that is here.
type line struct {
	tenant  string
	took    time.Duration // the latest turn
	paused  bool          // see pause
	running int
	people  list.List // of *waiter, first come first
	served  float64   // seconds of turns that it was charged, on the scale of Queue.served
	left    time.Time // when it last came or went
	index   int       // in the rotation, -1 = nobody waits
}

func (l *line) waiting() int { return l.people.Len() }

// here is how many run or wait.
func (l *line) here() int { return l.running + l.waiting() }

func (l *line) take() *waiter {
	w := l.people.Remove(l.people.Front()).(*waiter)
	w.at = nil
	return w
}

// waiter is one request in a line.
type waiter struct {
	line    *line
	came    time.Time
	number  int64 // of its coming, in the past
	at      *list.Element
	gone    func() error // says why it is not here any more
	granted chan *Turn   // holds one: who grants never waits
}

// line returns the tenant's line, at the latest where the rotation is. The caller
// holds mu.
func (q *Queue) line(tenant string, now time.Time) *line {
	l := q.lines[tenant]
	if l == nil {
		l = &line{tenant: tenant, index: -1}
		q.lines[tenant] = l
	}
	l.pause(now)
	l.left = now
	if l.waiting() == 0 {
		l.served = max(l.served, q.served)
	}
	return l
}

// full reports whether the tenant has all the turns that it may have: while
// others are here, one is left for them.
func (q *Queue) full(l *line) bool {
	return q.opts.Servers > 1 && len(q.lines) > 1 && l.running >= q.opts.Servers-1
}

// sweep forgets tenants that have long had nothing here, once in a while. The
// caller holds mu.
func (q *Queue) sweep(now time.Time) {
	if now.Sub(q.swept) < Remembered/10 {
		return
	}
	q.swept = now
	for tenant, l := range q.lines {
		if l.running == 0 && l.waiting() == 0 && now.Sub(l.left) >= Remembered {
			delete(q.lines, tenant)
		}
	}
}

// join puts w at the end of its line. The caller holds mu.
func (q *Queue) join(w *waiter) {
	w.at = w.line.people.PushBack(w)
	q.came(w.line)
	q.waiting++
	q.next.put(w.line)
}

// remove takes w out of its line, where it may not be any more. The caller holds mu.
func (q *Queue) remove(w *waiter) {
	if w.at == nil {
		return
	}
	w.line.people.Remove(w.at)
	q.waiting--
	q.leaves(w, time.Now())
	if w.line.waiting() == 0 {
		q.next.drop(w.line)
	}
}

// leaves notes that w, which is in no line any more, went away. The caller holds mu.
func (q *Queue) leaves(w *waiter, now time.Time) {
	q.seen.leaves(w.number, w.came, now)
	q.went(w.line)
	w.line.left = now
}

// rotation is a heap of the lines that have somebody in them, the one that was
// served least first.
type rotation []*line

func (r *rotation) Len() int           { return len(*r) }
func (r *rotation) Less(i, j int) bool { return (*r)[i].served < (*r)[j].served }
func (r *rotation) Swap(i, j int) {
	h := *r
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for package heap only.
func (r *rotation) Push(x any) {
	l := x.(*line)
	l.index = len(*r)
	*r = append(*r, l)
}

// Pop is for package heap only.
func (r *rotation) Pop() any {
	h := *r
	l := h[len(h)-1]
	h[len(h)-1] = nil
	*r = h[:len(h)-1]
	l.index = -1
	return l
}

func (r *rotation) put(l *line) {
	if l.index < 0 && l.waiting() > 0 {
		heap.Push(r, l)
	}
}

func (r *rotation) pop() *line {
	if len(*r) == 0 {
		return nil
	}
	return heap.Pop(r).(*line)
}

func (r *rotation) fix(l *line) {
	if l.index >= 0 {
		heap.Fix(r, l.index)
	}
}

func (r *rotation) drop(l *line) {
	if l.index >= 0 {
		heap.Remove(r, l.index)
	}
}
