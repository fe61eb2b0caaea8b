package queue

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
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

// Queue gives turns. It is safe for concurrent use, starts no goroutine that
// stays, and needs no end.
type Queue struct {
	opts Options

	mu      sync.Mutex
	lines   map[string]*line // of tenants that are here
	next    rotation         // those with somebody in them
	running int
	waiting int
	crowds  int           // lines whose tenants have many here
	began   time.Duration // sum of when the running turns began, after start
	served  float64       // how far the rotation has come, see line.served
	turn    float64       // mean seconds of the latest turns; 0 = not known
	turns   int           // that turn is the mean of, at most latest
	swept   time.Time
	looks   bool // see lookAgain
	start   time.Time
	seen    *past
	counts  Counts
}

// New returns an empty queue.
func New(opts Options) *Queue {
	opts = opts.withDefaults()
	now := time.Now()
	return &Queue{opts: opts, lines: map[string]*line{}, start: now, swept: now, seen: newPast(now, opts)}
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
		q.seen.note(happening{at: now, what: came})
		t := q.begin(l, now, 0)
		q.came(l)
		q.mu.Unlock()
		return t, nil
	}
	if err := q.refusal(ctx, l, most, now); err != nil {
		q.seen.refused(now)
		q.mu.Unlock()
		return nil, err
	}
	w := &waiter{line: l, came: now, number: q.seen.note(happening{at: now, what: waits}), gone: ctx.Err, granted: make(chan *Turn, 1)}
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
