package queue

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// What every kind of request counts as, beside one that runs.
func TestStats_counts_who_stays(t *testing.T) {
	for name, c := range map[string]struct {
		ask                   func(*testing.T, *Queue) (after func())
		arrived, stayed, away int
	}{
		"served after a wait": {func(t *testing.T, q *Queue) func() {
			r := waiting(t.Context(), t, q, "b")
			return func() { <-r.done; r.turn.Leave() }
		}, 1, 1, 0},
		"refused": {func(t *testing.T, q *Queue) func() {
			r := waiting(t.Context(), t, q, "b")
			if _, err := q.Enter(t.Context(), "b", 0); cellwall.CodeOf(err) != cellwall.CodeRateLimited {
				t.Error(err)
			}
			return func() { <-r.done; r.turn.Leave() }
		}, 2, 1, 1},
		"gone before":                     {func(t *testing.T, q *Queue) func() { leave(t, q, -1, 1); return func() {} }, 0, 0, 0},
		"cancelled":                       {func(t *testing.T, q *Queue) func() { leave(t, q, 0, 1); return func() {} }, 0, 0, 1},
		"all, at a shutdown":              {func(t *testing.T, q *Queue) func() { leave(t, q, 0, 3); return func() {} }, 0, 0, 3},
		"the deadline passed in the line": {func(t *testing.T, q *Queue) func() { leave(t, q, time.Second, 1); return func() {} }, 0, 0, 1},
		"after longer than is kept":       {func(t *testing.T, q *Queue) func() { leave(t, q, 20*time.Second, 1); return func() {} }, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(Options{Servers: 1, PerTenant: 1})
				end := enter(t, q, "a")
				after := c.ask(t, q)
				end()
				after()
				q.mu.Lock()
				defer q.mu.Unlock()
				seen, _ := q.seen.sum(q.seen.until(time.Now()))
				if seen.arrivals != 1+c.arrived || seen.gaps[0].n != c.stayed || seen.away != c.away {
					t.Errorf("%d came, %d stayed, %d went away, want %d, %d and %d", seen.arrivals-1, seen.gaps[0].n, seen.away, c.arrived, c.stayed, c.away)
				}
				if p := q.seen; p.here != 0 || p.running != 0 || len(p.kept) != 0 {
					t.Errorf("%d are here, %d run, %d kept", p.here, p.running, len(p.kept))
				}
			})
		})
	}
}

// leave has so many of different tenants come, and go after so long; before they come
// when that is below zero.
func leave(t *testing.T, q *Queue, after time.Duration, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if after < 0 {
		cancel()
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if _, err := q.Enter(ctx, string(rune('b'+i)), 0); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	time.Sleep(after)
	synctest.Wait()
	q.Stats() // it looks at what is known by now
	cancel()
	all.Wait()
}

// A turn that ends when many have just been cancelled goes to none of them.
func TestM43_Nobody_who_is_gone_has_a_turn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 1})
		end := enter(t, q, "a")
		ctx, cancel := context.WithCancel(t.Context())
		var gone []*request
		for i := range 50 {
			gone = append(gone, waiting(ctx, t, q, string(rune('a'+i%3))))
		}
		next := waiting(t.Context(), t, q, "d")
		cancel()
		end()
		<-next.done
		next.turn.Leave()
		for _, r := range gone {
			if <-r.done; !errors.Is(r.err, context.Canceled) {
				t.Error(r.err)
			}
		}
		if s := q.Stats(); s.Admitted != 2 || s.Left != 50 || s.Running != 0 || s.Waiting != 0 || q.crowds != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A turn that was given back unused says nothing about the tenant's turns.
func TestEnter_learns_nothing_from_a_turn_that_was_not_used(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 1})
		learn(t, q, time.Second)
		turn, err := q.Enter(t.Context(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.end(turn, false)
		if took := q.lines["a"].took; took != time.Second || q.mean(time.Now()) != time.Second {
			t.Errorf("its latest turn took %v, all %v", took, q.mean(time.Now()))
		}
	})
}
