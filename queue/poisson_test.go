package queue

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
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
// busy for this part of the time, from twenty tenants. work is a turn.
func drive(t *testing.T, q *Queue, n int, busy float64, mean time.Duration, seed uint64, work func(*rand.Rand) func()) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(busy*100)))
	gap := mean.Seconds() / busy / float64(q.opts.Servers)
	var all sync.WaitGroup
	next := time.Now()
	for range n {
		next = next.Add(seconds(r.ExpFloat64() * gap))
		time.Sleep(time.Until(next)) // late once is not late for ever
		serve, tenant := work(r), string(rune('a'+r.IntN(20)))
		all.Go(func() {
			turn, err := q.Enter(context.Background(), tenant, 0)
			if err != nil {
				t.Error(err)
				return
			}
			serve()
			turn.Leave()
		})
	}
	all.Wait()
}

// sleeps is a turn that takes this long in the mean.
func sleeps(draw service, mean time.Duration) func(*rand.Rand) func() {
	return func(r *rand.Rand) func() {
		took := seconds(draw(r) * mean.Seconds())
		return func() { time.Sleep(took) }
	}
}

// patient is a queue that refuses nobody and forgets nothing.
func patient(servers int) *Queue {
	return New(Options{Servers: servers, Waiting: 1 << 20, PerTenant: 1 << 20, Acceptable: 1e9 * time.Second, Window: 1e6 * time.Second})
}

func compare(t *testing.T, s Stats, within float64) {
	t.Helper()
	predicted, seen := s.PredictedCorrected.Seconds(), s.Seen.Seconds()
	t.Logf("figures: λ %.2f μ %.2f c %d busy %.3f ca² %.2f cs² %.2f together %.2f, rates %.4g: mean wait Erlang %.3f ms, corrected %.3f ms, seen %.3f ms (%+.1f %%)",
		s.Admission, s.Service, s.Servers, s.Model.Utilization, s.ArrivalVariation, s.ServiceVariation, s.Variation, s.Rates,
		1e3*s.Predicted.Seconds(), 1e3*predicted, 1e3*seen, 100*(predicted/seen-1))
	if math.Abs(predicted-seen) > within*seen {
		t.Errorf("predicted %v, seen %v", s.PredictedCorrected, s.Seen)
	}
}

// arrivals are so many that their mean wait is one.
func arrivals() int {
	if testkit.Long() {
		return 100_000
	}
	return 30_000
}

// TestM43_The_prediction_is_right runs hours of arrivals on a clock of its own.
func TestM43_The_prediction_is_right(t *testing.T) {
	kinds, n, rates := []string{"even", "exponential"}, 40_000, []float64{0.5, 0.65, 0.8}
	if testkit.Long() { // the busier and the less even, the longer until a mean is one
		kinds, n, rates = append(kinds, "uneven"), 200_000, []float64{0.7, 0.8, 0.9}
	}
	for _, name := range kinds {
		draw := services[name]
		for _, busy := range rates {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					q := patient(3)
					drive(t, q, n, busy, time.Second, 43, sleeps(draw, time.Second))
					compare(t, q.Stats(), 0.2)
				})
			})
		}
	}
}

// TestM43_The_prediction_is_right_for_servers_that_share has two turns at once on
// one processor: neither is as fast as alone, and together they do no more.
func TestM43_The_prediction_is_right_for_servers_that_share(t *testing.T) {
	for _, busy := range []float64{0.25, 0.35, 0.4} { // of both servers, had each a processor
		synctest.Test(t, func(t *testing.T) {
			const slice = 50 * time.Millisecond
			processor := make(chan struct{}, 1)
			q := patient(2)
			drive(t, q, arrivals(), busy, time.Second, 43, func(r *rand.Rand) func() {
				left := seconds(r.ExpFloat64())
				return func() {
					for ; left > 0; left -= slice {
						processor <- struct{}{}
						time.Sleep(min(slice, left))
						<-processor
					}
				}
			})
			s := q.Stats()
			compare(t, s, 0.2)
			if plain, err := Erlang(s.Admission, s.Service, 2); err == nil && plain.Wait > 0.8*s.Seen.Seconds() {
				t.Errorf("Erlang, who knows of no such thing, is as good: %v", plain.Wait)
			}
		})
	}
}

// TestM43_The_prediction_is_right_when_slow_turns_come_together has a machine that
// is half as fast for some time, again and again.
func TestM43_The_prediction_is_right_when_slow_turns_come_together(t *testing.T) {
	for _, busy := range []float64{0.5, 0.6, 0.7} {
		synctest.Test(t, func(t *testing.T) {
			q, began := patient(2), time.Now()
			drive(t, q, arrivals(), busy, time.Second, 43, func(r *rand.Rand) func() {
				took := 0.8 * r.ExpFloat64()
				return func() {
					if int(time.Since(began).Seconds())%40 >= 30 { // 10 s of 40
						took *= 2
					}
					time.Sleep(seconds(took))
				}
			})
			compare(t, q.Stats(), 0.2)
		})
	}
}

// TestM43_The_prediction_is_right_on_the_clock does the same in real time, where
// timers are late and turns take what they take. The mean of n waits is not a
// figure yet: those of a busy period are all long or all short, so that at 85 %
// 100,000 arrivals are worth some 700 that know nothing of each other, and their
// mean is good to 5 %. So many come in minutes because sixteen queues run at once.
func TestM43_The_prediction_is_right_on_the_clock(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it takes four minutes: set CELLWALL_TEST_ALL=1")
	}
	const queues, mean = 16, 50 * time.Millisecond
	for _, c := range []struct {
		busy float64
		n    int // in each queue
	}{{0.5, 3000}, {0.7, 3000}, {0.85, 7000}} {
		all := make([]Stats, queues)
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				q := patient(4)
				drive(t, q, c.n, c.busy, mean, uint64(i), sleeps(services["exponential"], mean))
				all[i] = q.Stats()
			})
		}
		wg.Wait()
		together(t, all)
	}
}

// together compares the means of queues that are alike, and says how much chance
// is left in that of the waits.
func together(t *testing.T, all []Stats) {
	t.Helper()
	var predicted, seen, lambda, utilization, erlang moments
	for _, s := range all {
		predicted.add(s.PredictedCorrected.Seconds())
		erlang.add(s.Predicted.Seconds())
		seen.add(s.Seen.Seconds())
		lambda.add(s.Admission)
		utilization.add(s.Model.Utilization)
	}
	n := float64(len(all))
	t.Logf("figures: %d queues of λ %.1f, busy %.3f: mean wait Erlang %.2f ms, corrected %.2f ms, seen %.2f ms ± %.1f %% (%+.1f %%)",
		len(all), lambda.mean(), utilization.mean(), 1e3*erlang.mean(), 1e3*predicted.mean(), 1e3*seen.mean(),
		100*math.Sqrt(seen.variation()/n), 100*(predicted.mean()/seen.mean()-1))
	if math.Abs(predicted.mean()-seen.mean()) > 0.2*seen.mean() {
		t.Errorf("predicted %v s, seen %v s", predicted.mean(), seen.mean())
	}
}
