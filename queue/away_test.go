package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// untold is a context whose end is not known before: the caller goes away.
type untold struct{ context.Context }

func (untold) Deadline() (time.Time, bool) { return time.Time{}, false }

// caller is one request of a drive.
type caller struct {
	tenant   string
	patience time.Duration // it goes away when it waited so long; 0 = never
	took     time.Duration
}

// call enters, and works unless the patience is over before.
func (c caller) call(q *Queue) error {
	ctx := context.Background()
	if c.patience > 0 {
		limited, cancel := context.WithTimeout(ctx, c.patience)
		defer cancel()
		ctx = untold{limited}
	}
	turn, err := q.Enter(ctx, c.tenant, 0)
	if err != nil {
		return err
	}
	time.Sleep(c.took)
	turn.Leave()
	return nil
}

// drives has n callers arrive by Poisson's law, rate in a second, and counts those who
// were refused.
func drives(q *Queue, r *rand.Rand, n int, rate float64, draw func(*rand.Rand) caller) (refused int64) {
	var count atomic.Int64
	var all sync.WaitGroup
	next := time.Now()
	for range n {
		next = next.Add(seconds(r.ExpFloat64() / rate))
		time.Sleep(time.Until(next))
		c := draw(r)
		all.Go(func() {
			if cellwall.RetryAfterOf(c.call(q)) > 0 {
				count.Add(1)
			}
		})
	}
	all.Wait()
	return count.Load()
}

// Who goes away before its turn takes none: the wait is that of those who stay. Of few
// who go it is predicted, of more it is the one that was seen.
func TestM43_The_wait_that_is_shown_is_right_when_some_go_away(t *testing.T) {
	exponential := func(mean float64) service { return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() } }
	for _, c := range []struct {
		name     string
		servers  int
		busy     float64 // had everybody stayed
		service  string
		patience service // seconds, where a turn takes one
	}{
		{"4.6 %, some at once", 4, 0.9, "exponential", exponential(20)},
		{"nearly nobody", 3, 0.8, "exponential", exponential(400)},
		{"few", 3, 0.8, "exponential", exponential(100)},
		{"more, of even turns", 3, 0.9, "even", exponential(10)},
		{"more, of uneven ones", 3, 0.8, "uneven", exponential(20)},
		{"all after the same time", 2, 0.9, "exponential", func(*rand.Rand) float64 { return 5 }},
		{"and come faster than can be served", 2, 1.2, "exponential", exponential(5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := patient(c.servers)
				drives(q, rand.New(rand.NewPCG(43, 7)), 40_000, c.busy*float64(c.servers), func(r *rand.Rand) caller {
					return caller{string(rune('a' + r.IntN(20))), seconds(c.patience(r)), seconds(services[c.service](r))}
				})
				s := q.Stats()
				t.Logf("figures: %.1f %% went away", 100*float64(s.Left)/40_000)
				compare(t, s, 0.2)
				if s.Left == 0 || s.Saturated || s.Admission > float64(c.servers)*1.02 {
					t.Errorf("%d went away, %v a second stayed for %d servers, saturated %v", s.Left, s.Admission, c.servers, s.Saturated)
				}
			})
		})
	}
}

// While others are here a tenant leaves a turn for them, and one more waits.
func TestM43_The_prediction_is_right_where_a_turn_is_left_free(t *testing.T) {
	for _, c := range []struct {
		servers, of int // one request in so many is the other tenant's
		busy        float64
		service     string
	}{
		{2, 10, 0.4, "exponential"},
		{2, 100, 0.4, "exponential"},
		{2, 2, 0.6, "exponential"},
		{3, 10, 0.6, "exponential"},
		{4, 100, 0.6, "even"},
		{8, 100, 0.8, "exponential"},
	} {
		t.Run(fmt.Sprintf("%d servers, one in %d", c.servers, c.of), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := patient(c.servers)
				drives(q, rand.New(rand.NewPCG(43, 7)), 40_000, c.busy*float64(c.servers), func(r *rand.Rand) caller {
					one := caller{tenant: "most", took: seconds(services[c.service](r))}
					if r.IntN(c.of) == 0 {
						one.tenant = "other"
					}
					return one
				})
				compare(t, q.Stats(), 0.15)
			})
		})
	}
}
