package queue

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A client that connects and goes away in a loop moves no figure of those who stay,
// has nobody refused, and leaves nothing behind.
func TestM43_Who_comes_and_goes_in_a_loop_moves_nothing(t *testing.T) {
	const loops = 4
	alone, few := besideLoops(t, 0)
	beside, refused := besideLoops(t, loops)
	t.Logf("figures: alone λ %.3f μ %.3f, wait %v for %v; beside %d who went λ %.3f μ %.3f, wait %v for %v",
		alone.Admission, alone.Service, alone.PredictedCorrected, alone.Seen, beside.Left, beside.Admission, beside.Service, beside.PredictedCorrected, beside.Seen)
	if beside.Left < 15_000 || refused > few {
		t.Errorf("%+v, of the others %d were refused, and alone %d", beside.Counts, refused, few)
	}
	for name, pair := range map[string][2]float64{
		"arrivals": {beside.Arrival, alone.Arrival}, "λ": {beside.Admission, alone.Admission}, "μ": {beside.Service, alone.Service},
		"predicted wait": {beside.PredictedCorrected.Seconds(), alone.PredictedCorrected.Seconds()},
		"seen wait":      {beside.Seen.Seconds(), alone.Seen.Seconds()},
		"servers":        {float64(beside.Wanted), float64(alone.Wanted)},
	} {
		if math.Abs(pair[0]-pair[1]) > 0.2*pair[1] {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

// besideLoops are the figures of three tenants, beside so many loops of another one.
func besideLoops(t *testing.T, loops int) (s Stats, refused int64) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 2, Window: time.Hour})
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range loops {
			all.Go(func() { comeAndGo(ctx, q) })
		}
		refused = drives(q, rand.New(rand.NewPCG(43, 9)), 3000, 1.4, func(r *rand.Rand) caller {
			return caller{tenant: string(rune('a' + r.IntN(3))), took: seconds(0.5 + r.Float64())}
		})
		s = q.Stats()
		stop()
		all.Wait()
		if len(q.seen.kept) > 2*mostKept {
			t.Errorf("%d are kept", len(q.seen.kept))
		}
	})
	return s, refused
}

// comeAndGo comes where it has to wait and goes, again and again. Where a turn becomes
// free in between it takes that, and gives it back at once.
func comeAndGo(ctx context.Context, q *Queue) {
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		q.mu.Lock()
		free := q.running < q.opts.Servers
		q.mu.Unlock()
		if free {
			continue
		}
		_ = caller{tenant: "loop", patience: 100 * time.Microsecond}.call(q)
	}
}

// As many as fit into a line come and go away, all the time: another tenant waits no
// longer for them, and is neither refused nor told to come later.
func TestM43_A_flood_that_goes_away_has_nobody_else_refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Servers: 2, Acceptable: 20 * time.Second})
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 20 {
			enterLater(t, q, "quiet") // a turn is left for it
			learn(t, q, 100*time.Millisecond)
		}
		for range DefaultPerTenant {
			all.Go(func() {
				for ctx.Err() == nil {
					_ = caller{tenant: "flood", patience: 300 * time.Millisecond, took: 100 * time.Millisecond}.call(q)
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		for range 50 {
			asked := time.Now()
			if err := (caller{tenant: "quiet", took: 100 * time.Millisecond}).call(q); err != nil {
				t.Fatalf("the quiet tenant was refused: %v", err)
			}
			if took := time.Since(asked); took > 200*time.Millisecond {
				t.Errorf("it took %v", took)
			}
			time.Sleep(50 * time.Millisecond)
		}
		s := q.Stats()
		if s.Left < 1000 || s.Saturated || s.PredictedCorrected > time.Second || s.Admission > 25 {
			t.Errorf("%d went away, %v a second stay, a wait of %v is predicted, saturated %v", s.Left, s.Admission, s.PredictedCorrected, s.Saturated)
		}
		stop()
		all.Wait()
	})
}
