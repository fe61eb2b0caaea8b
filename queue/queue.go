package queue

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Defaults of Options.
const (
	DefaultWaiting    = 1024
	DefaultPerTenant  = 256
	DefaultAcceptable = 5 * time.Second
	DefaultWindow     = time.Minute
)

// Remembered is how long a tenant that has nothing here any more still counts as
// one that may come again, so that a turn is left for it.
const Remembered = 10 * time.Second

// Options bound a queue. Zero fields mean the defaults.
type Options struct {
	Servers    int           // turns at once; 0 = processors
	Waiting    int           // in all lines
	PerTenant  int           // in one line
	Acceptable time.Duration // the longest predicted wait that is not refused
	Window     time.Duration // over which rates are measured
}

func (o Options) withDefaults() Options {
	fill := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	fill(&o.Servers, runtime.GOMAXPROCS(0))
	fill(&o.Waiting, DefaultWaiting)
	fill(&o.PerTenant, DefaultPerTenant)
	if o.Acceptable <= 0 {
		o.Acceptable = DefaultAcceptable
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	return o
}

// Queue gives turns. It is safe for concurrent use, starts no goroutine, and
// needs no end.
type Queue struct {
	opts Options

	mu      sync.Mutex
	lines   map[string]*line // of tenants that are here
	next    rotation         // those with somebody in them
	running int
	waiting int
	crowds  int           // lines whose tenants have many here
	began   time.Duration // sum of when the running turns began, after start
	changed time.Time     // until when the time with so many here is counted
	served  float64       // how far the rotation has come, see line.served
	turn    float64       // mean seconds of the latest turns; 0 = not known
	turns   int           // that turn is the mean of, at most latest
	swept   time.Time
	start   time.Time
	seen    *window
	counts  Counts
}

// New returns an empty queue.
func New(opts Options) *Queue {
	opts = opts.withDefaults()
	now := time.Now()
	return &Queue{opts: opts, lines: map[string]*line{}, start: now, swept: now, changed: now, seen: newWindow(now, opts.Window)}
}

// Enter waits for a turn of tenant, which has to leave it. most bounds the
// tenant's line below Options.PerTenant; 0 = it does not.
//
// It fails at once with CodeRateLimited or CodeBusy, both with RetryAfter, and
// with an error that wraps ctx.Err() as soon as ctx ends: nothing is held then.
func (q *Queue) Enter(ctx context.Context, tenant string, most int) (*Turn, error) {
	if ctx.Err() != nil {
		return nil, gone(ctx)
	}
	q.mu.Lock()
	now := time.Now()
	q.sweep(now)
	q.seen.arrival(now)
	l := q.line(tenant, now)
	if q.running < q.opts.Servers && l.waiting() == 0 && !q.full(l) {
		q.seen.joined(now)
		t := q.begin(l, now, 0)
		q.came(l)
		q.mu.Unlock()
		return t, nil
	}
	if err := q.refusal(ctx, l, most, now); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	w := &waiter{line: l, came: now, granted: make(chan *Turn, 1)}
	q.seen.joined(now)
	q.passed(now)
	q.join(w)
	q.dispatch(now) // a line that was left out may be let in by now
	q.mu.Unlock()
	return q.wait(ctx, w)
}

func (q *Queue) wait(ctx context.Context, w *waiter) (*Turn, error) {
	select {
	case t := <-w.granted:
		return t, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	q.counts.Left++
	select {
	case t := <-w.granted: // both at once: the turn was never used
		q.end(t, false)
	default:
		q.remove(w)
	}
	q.mu.Unlock()
	return nil, gone(ctx)
}

func gone(ctx context.Context) error { return fmt.Errorf("wait for a turn: %w", ctx.Err()) }

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
	q.seen.waited(now, waited)
	if q.running == 0 {
		q.start, q.began = now, 0 // the sum stays small
	}
	q.passed(now)
	q.running++
	q.began += now.Sub(q.start)
	l.running++
	q.served = max(q.served, l.served)
	t := &Turn{Precedence: q.precedence(l), q: q, line: l, began: now, charged: max(q.turn, leastCharge), last: q.running == q.opts.Servers}
	l.served += t.charged
	q.counts.Admitted++
	return t
}

// here is how many run or wait, as far as it is told apart. The caller holds mu.
func (q *Queue) here() int { return q.running + min(q.waiting, mostHere) }

// passed counts the time that so many were here. The caller holds mu.
func (q *Queue) passed(now time.Time) {
	q.seen.were(now, q.here(), now.Sub(q.changed))
	q.changed = now
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
	q.passed(now)
	here := q.here()
	q.running--
	q.began -= t.began.Sub(q.start)
	t.line.running--
	q.went(t.line)
	t.line.left = now
	took := now.Sub(t.began)
	t.line.took = took
	t.line.served += max(took.Seconds(), leastCharge) - t.charged
	q.next.fix(t.line)
	if used {
		q.seen.service(now, took, here, t.last)
		q.turns = min(q.turns+1, latest)
		q.turn += (took.Seconds() - q.turn) / float64(q.turns)
	}
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
		w.granted <- q.begin(l, now, now.Sub(w.came))
		q.next.put(l)
	}
	for _, l := range out {
		q.next.put(l)
	}
}
