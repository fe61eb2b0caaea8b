package queue

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

// Whoever is refused and waits as long as it was told is not refused again, and
// has its turn within the wait that is acceptable.
func TestM43_Who_waits_as_long_as_it_was_told_gets_in(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		// Wrapped, so that rapid does not ask for the deadline, which a clock of our own has not.
		rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) {
			o := Options{
				Servers: rapid.IntRange(1, 4).Draw(t, "servers"), Waiting: rapid.IntRange(1, 12).Draw(t, "waiting"),
				PerTenant:  rapid.IntRange(1, 6).Draw(t, "per tenant"),
				Acceptable: time.Duration(rapid.IntRange(1, 8).Draw(t, "acceptable")) * time.Second,
			}
			took := time.Duration(rapid.IntRange(10, 1000).Draw(t, "ms")) * time.Millisecond
			q := New(o)
			var all sync.WaitGroup
			work := func(tenant string) error {
				turn, err := q.Enter(context.Background(), tenant, 0)
				if err == nil {
					time.Sleep(took)
					turn.Leave()
				}
				return err
			}
			for _, tenant := range []string{"a", "b", "c"} { // its length is known
				if err := work(tenant); err != nil {
					t.Fatal(err)
				}
			}
			for range rapid.IntRange(1, 30).Draw(t, "requests") {
				tenant := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tenant")
				all.Go(func() { _ = work(tenant) }) // some of them are refused, too
				synctest.Wait()
			}
			if err := work("a"); err != nil {
				refused++
				time.Sleep(cellwall.RetryAfterOf(err))
				synctest.Wait() // whose turn ends at this very moment has left
				asked := time.Now()
				if err := work("a"); err != nil {
					t.Errorf("refused again: %v", err)
				}
				if waited := time.Since(asked) - took; waited > o.Acceptable {
					t.Errorf("it waited %v, where %v are acceptable", waited, o.Acceptable)
				}
			}
			all.Wait()
		})
		if refused == 0 {
			t.Error("nobody was refused")
		}
	})
}

// TestM43_A_flood_does_not_move_anothers_p99_on_the_clock is the real thing: forty
// callers of one tenant that never let up, beside one that asks now and then.
func TestM43_A_flood_does_not_move_anothers_p99_on_the_clock(t *testing.T) {
	const took, asks = 40 * time.Millisecond, 100
	p99 := func(flooders int) time.Duration {
		q := New(Options{Servers: 2})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		for range flooders {
			all.Go(func() {
				for ctx.Err() == nil {
					turn, err := q.Enter(ctx, "flood", 0)
					if err != nil {
						continue
					}
					select {
					case <-time.After(3 * took):
					case <-ctx.Done():
					}
					turn.Leave()
				}
			})
		}
		ask := func() time.Duration {
			asked := time.Now()
			turn, err := q.Enter(t.Context(), "quiet", 0)
			if err != nil {
				t.Fatalf("the quiet tenant was refused: %v", err)
			}
			time.Sleep(took)
			turn.Leave()
			return time.Since(asked)
		}
		for range 5 { // from here on a turn is left for it
			ask()
		}
		time.Sleep(3 * took)
		var seen []time.Duration
		for range asks {
			seen = append(seen, ask())
			time.Sleep(took / 4)
		}
		slices.Sort(seen)
		return seen[asks*99/100-1]
	}
	alone, beside := p99(0), p99(40)
	t.Logf("figures: p99 alone %v, beside a flood %v", alone, beside)
	if beside > 2*alone {
		t.Errorf("p99 alone %v, beside a flood %v", alone, beside)
	}
}
