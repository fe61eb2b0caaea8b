package queue

import (
	"time"

	"github.com/cellwall/cellwall"
)

// Turn is one running execution.
type Turn struct {
	Precedence cellwall.Precedence // as its tenant stood when it began

	q       *Queue
	line    *line
	began   time.Time
	charged float64 // seconds, ahead of knowing
	last    bool    // it began as the last free one
	over    bool
}

// begin starts a turn that was waited for. The caller holds mu.
func (q *Queue) begin(l *line, now time.Time, waited time.Duration) *Turn {
	q.seen.note(happening{at: now, what: began, seconds: waited.Seconds()})
	q.rebase(now)
	q.running++
	q.began += now.Sub(q.start)
	l.running++
	q.served = max(q.served, l.served)
	t := &Turn{Precedence: q.precedence(l), q: q, line: l, began: now, charged: max(q.turn, leastCharge), last: q.running == q.opts.Servers}
	l.served += t.charged
	q.counts.Admitted++
	return t
}

// rebase keeps the sum of when the running turns began small, also where there is
// always one. The caller holds mu.
func (q *Queue) rebase(now time.Time) {
	if passed := now.Sub(q.start); q.running == 0 || passed > time.Hour {
		q.began -= passed * time.Duration(q.running)
		q.start = now
	}
}

// Leave gives the turn to who is next; more calls do nothing.
func (t *Turn) Leave() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	t.q.end(t, true)
}

// end gives the turn to who is next. The caller holds mu.
func (q *Queue) end(t *Turn, used bool) {
	if t.over {
		return
	}
	t.over = true
	now := time.Now()
	q.running--
	q.began -= t.began.Sub(q.start)
	t.line.running--
	q.went(t.line)
	t.line.left = now
	took := now.Sub(t.began)
	t.line.served += max(took.Seconds(), leastCharge) - t.charged
	q.next.fix(t.line)
	over := happening{at: now, what: unused, seconds: took.Seconds(), last: t.last}
	if used {
		over.what = ended
		t.line.took = took
		q.turns = min(q.turns+1, latest)
		q.turn += (took.Seconds() - q.turn) / float64(q.turns)
	}
	q.seen.note(over)
	q.dispatch(now)
}

// latest is how many turns the mean of the prediction looks back at.
const latest = 32

// leastCharge is what a turn costs its tenant at least, in seconds: before
// anything is known, turns are counted.
const leastCharge = 1e-4

// dispatch gives free turns away. The caller holds mu.
func (q *Queue) dispatch(now time.Time) {
	var out []*line // has all that it may have; with more than one line there is one at most
	for q.running < q.opts.Servers {
		l := q.next.pop()
		if l == nil {
			break
		}
		if q.full(l) {
			out = append(out, l)
			continue
		}
		w := l.take()
		q.waiting--
		if w.gone() != nil { // it has not yet said so
			q.leaves(w, now)
			q.next.put(l)
			continue
		}
		q.seen.stays(w.number)
		w.granted <- q.begin(l, now, now.Sub(w.came))
		q.next.put(l)
	}
	for _, l := range out {
		q.next.put(l)
		q.lookAgain()
	}
}

// lookAgain ends the wait of a line that leaves a turn for others when they are
// forgotten, though nobody comes then. The caller holds mu.
func (q *Queue) lookAgain() {
	if q.looks {
		return
	}
	q.looks = true
	time.AfterFunc(Remembered/10, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.looks = false
		now := time.Now()
		q.sweep(now)
		q.dispatch(now)
	})
}
