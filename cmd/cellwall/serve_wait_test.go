package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/queue"
	"github.com/cellwall/cellwall/session"
)

// allWait has two turns, and refuses nobody.
var allWait = queue.Options{Servers: 2, Waiting: 1 << 20, PerTenant: 1 << 20, Acceptable: time.Hour, Window: time.Hour}

// waited is a house with the desk and the queue of a service in front of it.
type waited struct {
	*testing.T
	*house
	admission *admission
	who       cellwall.Identity
}

func houseWithQueue(t *testing.T) *waited {
	t.Helper()
	state := t.TempDir()
	linkEnvironments(t, state)
	w := &waited{T: t}
	w.admission, w.who = openAdmission(t, allWait, cellwall.Terms{Operator: true})
	var err error
	w.house, err = newProgram().openHouse(&config{StateDir: state}, houseOptions{
		backend: defaultBackend, environment: defaultEnvironment, ready: 4, service: true,
		tune: func(c *controller.Options, _ *session.Options, _ *pool.SetOptions) { c.Admission = w.admission },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.house.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// run has a program computed in a sandbox that nobody used.
func (w *waited) run() {
	r, err := w.controller.Run(context.Background(), cellwall.Request{Identity: w.who, Code: "print(sum(i * i for i in range(100_000)))"})
	if err != nil || !r.OK {
		w.Errorf("%+v, %v", r, err)
	}
}

// capacity is how many end per second when two always run.
func (w *waited) capacity() float64 {
	const each = 200
	var all sync.WaitGroup
	began := time.Now()
	for range allWait.Servers {
		all.Go(func() {
			for range each {
				w.run()
			}
		})
	}
	all.Wait()
	return float64(allWait.Servers*each) / time.Since(began).Seconds()
}

// TestM43_The_prediction_is_right_for_sandboxes has programs arrive by Poisson's law
// at three rates, each computed in a fresh sandbox behind the service's own
// admission: two turns on the processors that also open and destroy sandboxes, so
// that both are slower together than one is alone.
func TestM43_The_prediction_is_right_for_sandboxes(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it takes six minutes: set CELLWALL_TEST_ALL=1")
	}
	for _, c := range []struct {
		busy float64 // of the capacity
		n    int
	}{{0.35, 3000}, {0.5, 4500}, {0.65, 6000}} {
		t.Run(fmt.Sprint(c.busy), func(t *testing.T) {
			w := houseWithQueue(t)
			w.capacity() // warm
			before := w.capacity()
			w.admission.queue = queue.New(allWait)
			w.arrive(c.n, c.busy*before)
			s := w.admission.queue.Stats()
			w.compare(s, before, w.capacity())
		})
	}
}

func (w *waited) arrive(n int, rate float64) {
	r := rand.New(rand.NewPCG(43, 1))
	var all sync.WaitGroup
	next := time.Now()
	for range n {
		next = next.Add(time.Duration(r.ExpFloat64() / rate * float64(time.Second)))
		time.Sleep(time.Until(next))
		all.Go(w.run)
	}
	all.Wait()
}

// compare holds the prediction to the wait that was seen. Other work on the machine
// moves both, and then there is no mean to predict: what two at once can do before
// and after the arrivals tells.
func (w *waited) compare(s queue.Stats, before, after float64) {
	predicted, seen := s.PredictedCorrected.Seconds(), s.Seen.Seconds()
	plain := math.NaN()
	if m, err := queue.Erlang(s.Admission, s.Service, s.Servers); err == nil {
		plain = m.Corrected(s.ArrivalVariation, s.ServiceVariation)
	}
	w.Logf("figures: λ %.1f μ %.1f rates %.1f busy %.2f ca² %.2f cs² %.2f together %.2f: mean wait %.2f ms if turns took what they do in the mean, predicted %.2f ms, seen %.2f ms (%+.1f %%)",
		s.Admission, s.Service, s.Rates, s.Model.Utilization, s.ArrivalVariation, s.ServiceVariation, s.Variation, 1e3*plain, 1e3*predicted, 1e3*seen, 100*(predicted/seen-1))
	if math.Abs(predicted-seen) <= 0.2*seen {
		return
	}
	if change := after/before - 1; math.Abs(change) > 0.15 {
		w.Skipf("the machine was not ours alone, proof: it ended %.1f a second before the arrivals and %.1f after them (%+.0f %%)", before, after, 100*change)
	}
	w.Errorf("predicted %v, seen %v", s.PredictedCorrected, s.Seen)
}
