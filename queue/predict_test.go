package queue

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func TestTimes_does_not_run_over(t *testing.T) {
	for _, c := range []struct {
		turn time.Duration
		n    int
		want time.Duration
	}{
		{time.Second, 0, 0},
		{time.Second, 3, 3 * time.Second},
		{0, math.MaxInt, 0},
		{24 * time.Hour, 1 << 20, longest},
		{math.MaxInt64, 2, longest},
	} {
		if got := times(c.turn, c.n); got != c.want {
			t.Errorf("%d turns of %v: %v, want %v", c.n, c.turn, got, c.want)
		}
	}
}

// So many wait for turns of a day that no number of nanoseconds tells it: refused all
// the same.
func TestM43_A_wait_too_long_to_tell_is_refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := patient(1)
		learn(t, q, 24*time.Hour)
		leave := enter(t, q, "a")
		q.waiting = 1 << 19
		for _, o := range []Options{{Waiting: 1 << 19}, {Waiting: 1 << 20, Acceptable: time.Hour}} {
			q.opts.Waiting, q.opts.Acceptable = o.Waiting, o.Acceptable
			err := q.refusal(context.Background(), q.lines["a"], 0, time.Now())
			if cellwall.CodeOf(err) != cellwall.CodeBusy || cellwall.RetryAfterOf(err) != maxRetry {
				t.Errorf("%+v: %v, again in %v", o, err, cellwall.RetryAfterOf(err))
			}
		}
		q.waiting = 0
		leave()
	})
}

// Servers that are never all free for years: the sum of when their turns began stays
// small, and the age of those that run is right.
func TestMean_is_right_where_somebody_always_runs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const servers, year = 400, 365 * 24 * time.Hour
		q := New(Options{Servers: servers})
		var all []func()
		for range servers {
			all = append(all, enter(t, q, "a"))
		}
		for range 5 { // each half leaves and comes again, five times in ten years
			time.Sleep(year)
			for i := range servers / 2 {
				all[i]()
				all[i] = enter(t, q, "a")
			}
			time.Sleep(year)
			for i := servers / 2; i < servers; i++ {
				all[i]()
				all[i] = enter(t, q, "a")
			}
		}
		q.turn = 0 // only the age of those that run
		time.Sleep(time.Hour)
		if got, want := q.mean(time.Now()), year/2+time.Hour; (got - want).Abs() > time.Second {
			t.Errorf("those that run are %v old, want %v", got, want)
		}
		for _, leave := range all {
			leave()
		}
	})
}
