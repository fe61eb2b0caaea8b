package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
)

// The time of an answer tells another tenant's thing from nobody's as little as its
// words do, and a key that was revoked or has expired from one that nobody made.
//
// Each pair is asked turn and turn about in random order, timings times each. The
// test is Mann and Whitney's U, two-sided, at the level doubt divided by the number
// of pairs (Bonferroni): where no time differs, the whole test fails once in a
// thousand runs; a pair that differs is asked again, and has to differ again, in
// the same direction. Its positive control is a pair that differs by a tenth of a
// millisecond: without finding that, it proves nothing.
func TestM42_TimeTellsNoTenantOfAnother(t *testing.T) {
	if !testkit.Long() {
		t.Skip("skip, proof: comparisons of times belong to test-all")
	}
	w := twoServed(t)
	type pair struct {
		name      string
		one, two  func()
		differing bool
	}
	ask := func(route, key, id string) func() {
		return func() { w.ask(route, reach{}, key, id) }
	}
	var pairs []pair
	for _, line := range reaches {
		if line.id == "" || line.open || !strings.HasPrefix(line.route, "GET ") {
			continue
		}
		own, none := w.own[line.id], stranger(w.own[line.id])
		pairs = append(pairs, pair{line.route, ask(line.route, w.b, own), ask(line.route, w.b, none), false})
	}
	const route = "GET /v1/executions/{id}"
	nobodys := "e2b_" + strings.Repeat("0", 40)
	pairs = append(
		pairs,
		pair{"a revoked key", ask(route, w.revoked, "x"), ask(route, nobodys, "x"), false},
		pair{"an expired key", ask(route, w.expired, "x"), ask(route, nobodys, "x"), false},
		pair{"the control", ask(route, nobodys, "x"), func() { busy(100 * time.Microsecond); ask(route, nobodys, "x")() }, true},
	)
	level := doubt / float64(len(pairs))
	for _, p := range pairs {
		z, chance := compareTimes(p.one, p.two)
		if chance < level && !p.differing {
			if again, still := compareTimes(p.one, p.two); still < level && (again > 0) == (z > 0) {
				t.Errorf("%s: another's and nobody's differ in time: z %.1f and %.1f, p %.1e", p.name, z, again, still)
			}
		}
		if p.differing && chance >= level {
			t.Errorf("%s is not found (z %.1f, p %.1e): this machine is too busy to prove anything", p.name, z, chance)
		}
		t.Logf("figures: %s z %+.2f p %.3f", p.name, z, chance)
	}
}

const (
	timings = 600
	doubt   = 0.001
)

// busy uses up time that a timer could not measure.
func busy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// compareTimes asks both in random order, and returns Mann and Whitney's statistic
// as a normal deviate, above 0 when one takes longer, with its two-sided chance.
func compareTimes(one, two func()) (z, chance float64) {
	type timing struct {
		took  time.Duration
		first bool
	}
	for range 20 { // connections and caches
		one()
		two()
	}
	var all []timing
	for range timings {
		turns := []bool{true, false}
		if rand.IntN(2) == 0 {
			slices.Reverse(turns)
		}
		for _, first := range turns {
			do := two
			if first {
				do = one
			}
			began := time.Now()
			do()
			all = append(all, timing{time.Since(began), first})
		}
	}
	slices.SortFunc(all, func(a, b timing) int { return cmp.Compare(a.took, b.took) })
	rank := 0.0 // times of a nanosecond's resolution: ties are too rare to matter
	for i, one := range all {
		if one.first {
			rank += float64(i + 1)
		}
	}
	n := float64(timings)
	z = (rank - n*(2*n+1)/2) / math.Sqrt(n*n*(2*n+1)/12)
	return z, math.Erfc(math.Abs(z) / math.Sqrt2)
}

// The statistic is that of the books: U of two samples that do not overlap, and of
// one that is the other.
func TestCompareTimes_finds_what_differs_and_nothing_else(t *testing.T) {
	if _, chance := compareTimes(func() { busy(20 * time.Microsecond) }, func() { busy(120 * time.Microsecond) }); chance > 1e-9 {
		t.Errorf("five times as long has the chance %v", chance)
	}
	if z, chance := compareTimes(func() { busy(20 * time.Microsecond) }, func() { busy(20 * time.Microsecond) }); chance < 1e-6 {
		t.Errorf("the same differs: z %v, chance %v", z, chance)
	}
}
