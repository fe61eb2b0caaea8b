package queue

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestLoaded_is_Erlang_for_servers_that_do_not_slow_each_other_down(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.IntRange(1, 1500).Draw(t, "servers")
		mu := rapid.Float64Range(0.001, 1000).Draw(t, "mu")
		lambda := rapid.Float64Range(0, 0.999).Draw(t, "utilization") * float64(c) * mu
		even := make([]float64, c)
		for k := range even {
			even[k] = float64(k+1) * mu
		}
		got, err := Loaded(lambda, even, c)
		want, wrong := Erlang(lambda, mu, c)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		for _, pair := range [][2]float64{
			{got.Utilization, want.Utilization}, {got.Waits, want.Waits}, {got.Length, want.Length}, {got.Wait, want.Wait}, {got.Idle, want.Idle},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-6*max(1e-9, pair[1]) {
				t.Fatalf("%+v, want %+v", got, want)
			}
		}
	})
}

// Two servers that together do no more than one are one whose second customer
// does not count as waiting: half are idle, a quarter wait, and one in two of them
// behind another.
func TestLoaded_has_two_servers_on_one_processor(t *testing.T) {
	got, err := Loaded(0.5, []float64{1, 1}, 2)
	if err != nil || !near(got.Idle, 0.5) || !near(got.Waits, 0.25) || !near(got.Length, 0.25) || !near(got.Wait, 0.5) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Three at most are here when those who find three go away, as good as: one server,
// whose line moves on at once where it is long.
func TestLoaded_knows_a_rate_for_those_who_wait(t *testing.T) {
	got, err := Loaded(1, []float64{1, 1, 1, 1e9}, 1)
	if err != nil || !near(got.Idle, 0.25) || !near(got.Waits, 0.75) || !near(got.Length, 0.75) || !near(got.Wait, 0.75) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLoaded_refuses_what_has_no_steady_state(t *testing.T) {
	for _, c := range []struct {
		lambda    float64
		rates     []float64
		saturated bool
	}{
		{1.2, []float64{1, 1.2}, true},
		{2, []float64{3, 1.5}, true},
		{1, nil, false},
		{1, []float64{1, 0}, false},
		{1, []float64{math.NaN(), 2}, false},
		{1, []float64{1, math.Inf(1)}, false},
		{-1, []float64{1}, false},
		{math.NaN(), []float64{1}, false},
	} {
		if m, err := Loaded(c.lambda, c.rates, max(1, len(c.rates))); err == nil || errors.Is(err, ErrSaturated) != c.saturated || m != (Model{}) {
			t.Errorf("λ %v, %v: %+v, %v", c.lambda, c.rates, m, err)
		}
	}
}

func TestRates_are_those_of_each_state(t *testing.T) {
	for _, c := range []struct {
		name      string
		states    []state // ends and seconds
		mean      float64
		variation float64
		servers   int
		want      []float64 // within 2 %
	}{
		{"nothing seen", nil, 0.5, 1, 3, []float64{2, 4, 6}},
		{"one server", []state{{ends: 1000, seconds: 500}}, 0.5, 1, 1, []float64{2}},
		{"alike", []state{{ends: 10_000, seconds: 5000}, {ends: 10_000, seconds: 2500}}, 0.5, 1, 2, []float64{2, 4}},
		{"half as fast beside each other", []state{{ends: 10_000, seconds: 5000}, {ends: 10_000, seconds: 5000}}, 0.8, 1, 2, []float64{2, 2, 2}},
		{"even turns look faster among many", []state{{ends: 9000, seconds: 5000}, {ends: 11_000, seconds: 2500}}, 0.5, 0, 2, []float64{2, 4}},
		{"uneven ones slower", []state{{ends: 10_800, seconds: 5000}, {ends: 9200, seconds: 2500}}, 0.5, 5, 2, []float64{2, 4}},
		{"as slow as that is no chance", []state{{ends: 10_800, seconds: 5000}, {ends: 9200, seconds: 2500}}, 0.5, 1, 2, []float64{2.16, 3.68, 3.68}},
		{"slower the more wait, and of long lines too few seen", []state{{ends: 10_000, seconds: 5000}, {ends: 10_000, seconds: 10_000. / 3}, {ends: 10_000, seconds: 5000}, {ends: 3, seconds: 1}}, 0.8, 1, 2, []float64{2, 3, 2, 2.4}},
		{"one state never seen", []state{{ends: 10_000, seconds: 5000}}, 0.5, 1, 2, []float64{2, 4}},
	} {
		services := moments{n: 2, sum: 2 * c.mean, square: 2 * (1 + c.variation) * c.mean * c.mean}
		got, _, _ := rates(c.states, services, c.servers)
		for k, want := range c.want {
			if len(got) != len(c.want) || math.Abs(got[k]-want) > 0.02*want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

func TestVariation_sees_what_comes_together(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 2))
	var gaps, even, slow sums
	var arrivals, independent, inARow dispersion
	factor := 1.0
	for i := range 100_000 {
		if i%20 == 0 {
			factor = 0.5 + float64(r.IntN(2)) // twenty fast, or twenty slow
		}
		gaps.add(r.ExpFloat64(), &arrivals)
		even.add(r.ExpFloat64(), &independent)
		slow.add(factor*r.ExpFloat64(), &inARow)
	}
	for _, busy := range []float64{0.1, 0.5, 0.7, 0.9, 0.97} {
		if got := variation(&arrivals, &independent, busy); math.Abs(got-2) > 0.3 {
			t.Errorf("independent, busy %v: %v, want 2", busy, got)
		}
	}
	// One alone: 1 + 1.5. Sums of many twenties: 1 + 1.25 + 20 · 0.25.
	for _, c := range []struct{ busy, low, high float64 }{{0.1, 2.4, 2.6}, {0.8, 4, 7.3}, {0.97, 6, 8}} {
		if got := variation(&arrivals, &inARow, c.busy); got < c.low || got > c.high {
			t.Errorf("in a row, busy %v: %v, want %v to %v", c.busy, got, c.low, c.high)
		}
	}
	if few := variation(&dispersion{}, &dispersion{}, 0.9); math.Abs(few-2) > 0.01 {
		t.Errorf("nothing seen: %v, want 2", few)
	}
}
