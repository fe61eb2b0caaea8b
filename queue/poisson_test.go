package queue

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// service draws a time with mean 1.
type service func(*rand.Rand) float64

var services = map[string]service{
	"even":        func(*rand.Rand) float64 { return 1 },
	"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
	"uneven": func(r *rand.Rand) float64 { // one in ten takes long; the squared coefficient is 4.4
		if r.IntN(10) == 0 {
			return 5.5 * r.ExpFloat64()
		}
		return 0.5 * r.ExpFloat64()
	},
}

// drive lets n requests arrive by Poisson's law, so many that the servers are
// busy for this part of the time, from twenty tenants.
func drive(t *testing.T, q *Queue, n int, busy float64, mean time.Duration, draw service) {
	t.Helper()
	r := rand.New(rand.NewPCG(43, uint64(busy*100)))
	gap := mean.Seconds() / busy / float64(q.opts.Servers)
	var all sync.WaitGroup
	next := time.Now()
	for range n {
		next = next.Add(seconds(r.ExpFloat64() * gap))
		time.Sleep(time.Until(next)) // late once is not late for ever
		took := seconds(draw(r) * mean.Seconds())
		tenant := string(rune('a' + r.IntN(20)))
		all.Go(func() {
			leave, err := q.Enter(context.Background(), tenant, 0)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(took)
			leave()
		})
	}
	all.Wait()
}

func compare(t *testing.T, s Stats, within float64) {
	t.Helper()
	predicted, seen := s.PredictedCorrected.Seconds(), s.Seen.Seconds()
	t.Logf("λ %.2f μ %.2f c %d busy %.3f ca² %.2f cs² %.2f: mean wait Erlang %.3f ms, corrected %.3f ms, seen %.3f ms (%+.1f %%)",
		s.Admission, s.Service, s.Servers, s.Model.Utilization, s.ArrivalVariation, s.ServiceVariation,
		1e3*s.Predicted.Seconds(), 1e3*predicted, 1e3*seen, 100*(predicted/seen-1))
	if math.Abs(predicted-seen) > within*seen {
		t.Errorf("predicted %v, seen %v", s.PredictedCorrected, s.Seen)
	}
}

// TestM43_The_prediction_is_right runs hours of arrivals on a clock of its own.
func TestM43_The_prediction_is_right(t *testing.T) {
	kinds, n, rates := []string{"even", "exponential"}, 40_000, []float64{0.5, 0.65, 0.8}
	if os.Getenv("CELLWALL_TEST_ALL") != "" { // the busier and the less even, the longer until a mean is one
		kinds, n, rates = append(kinds, "uneven"), 200_000, []float64{0.7, 0.8, 0.9}
	}
	for _, name := range kinds {
		draw := services[name]
		for _, busy := range rates {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q := New(Options{Servers: 3, Waiting: 1 << 20, PerTenant: 1 << 20, Acceptable: 1e9 * time.Second, Window: 1e6 * time.Second})
					drive(t, q, n, busy, time.Second, draw)
					compare(t, q.Stats(), 0.2)
				})
			})
		}
	}
}

// TestM43_The_prediction_is_right_on_the_clock does the same in real time, where
// timers are late and turns take what they take.
func TestM43_The_prediction_is_right_on_the_clock(t *testing.T) {
	if os.Getenv("CELLWALL_TEST_ALL") == "" {
		t.Skip("it takes minutes: set CELLWALL_TEST_ALL=1")
	}
	for _, busy := range []float64{0.5, 0.7, 0.85} {
		q := New(Options{Servers: 4, Waiting: 1 << 20, PerTenant: 1 << 20, Acceptable: time.Hour, Window: time.Hour})
		drive(t, q, 12_000, busy, 20*time.Millisecond, services["exponential"])
		s := q.Stats()
		if math.Abs(s.ArrivalVariation-1) > 0.2 {
			t.Skipf("the processors are taken: timers come late and together, proof: ca² = %.2f where Poisson's is 1", s.ArrivalVariation)
		}
		compare(t, s, 0.2)
	}
}
