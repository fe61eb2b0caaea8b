package queue

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestM43_Erlang_gives_the_articles_figures(t *testing.T) {
	m, err := Erlang(2, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := Model{Servers: 3, Utilization: 2.0 / 3, Idle: 1.0 / 9, Waits: 4.0 / 9, Length: 8.0 / 9, Wait: 4.0 / 9}
	if !near(m.Utilization, want.Utilization) || !near(m.Idle, want.Idle) || !near(m.Waits, want.Waits) ||
		!near(m.Length, want.Length) || !near(m.Wait, want.Wait) {
		t.Errorf("%+v, want %+v", m, want)
	}
	if got := m.Corrected(1, 0); !near(got, 2.0/9) {
		t.Errorf("even service halves the wait: %v, want 2/9", got)
	}
}

func TestM43_Erlang_refuses_what_has_no_steady_state(t *testing.T) {
	for _, c := range []struct {
		lambda, mu float64
		servers    int
		saturated  bool
	}{
		{3, 1, 3, true},
		{3.0001, 1, 3, true},
		{math.MaxFloat64, 1, 1000, true},
		{-1, 1, 3, false},
		{math.NaN(), 1, 3, false},
		{math.Inf(1), 1, 3, false},
		{1, 0, 3, false},
		{1, -2, 3, false},
		{1, math.NaN(), 3, false},
		{1, math.Inf(1), 3, false},
		{1, 2, 0, false},
		{1, 2, -3, false},
	} {
		m, err := Erlang(c.lambda, c.mu, c.servers)
		if err == nil || errors.Is(err, ErrSaturated) != c.saturated || m != (Model{}) {
			t.Errorf("λ %v μ %v c %d: %+v, %v", c.lambda, c.mu, c.servers, m, err)
		}
	}
	if m, err := Erlang(2.999, 1, 3); err != nil || m.Wait < 300 {
		t.Errorf("just below: %+v, %v", m, err)
	}
}

// TestErlang_agrees_with_the_sum_in_the_books compares with the textbook's own
// sum, where that does not overflow, and holds the laws where it does.
func TestErlang_agrees_with_the_sum_in_the_books(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.IntRange(1, 2000).Draw(t, "servers")
		mu := rapid.Float64Range(0.001, 1000).Draw(t, "mu")
		rho := rapid.Float64Range(0, 0.999).Draw(t, "utilization")
		lambda := rho * float64(c) * mu
		m, err := Erlang(lambda, mu, c)
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Idle >= 0 && m.Idle <= 1 && m.Waits >= 0 && m.Waits <= 1 && m.Wait >= 0) {
			t.Fatalf("no chances: %+v", m)
		}
		if !near(m.Length, lambda*m.Wait) {
			t.Fatalf("Little's law: %v wait, λ·W = %v", m.Length, lambda*m.Wait)
		}
		if more, err := Erlang(lambda, mu, c+1); err != nil || more.Wait > m.Wait {
			t.Fatalf("one server more makes the wait longer: %+v, %v", more, err)
		}
		if c > 100 {
			return // the terms below overflow
		}
		a, sum, term := lambda/mu, 0.0, 1.0
		for k := range c {
			sum += term
			term *= a / float64(k+1)
		}
		last := term / (1 - rho)
		if p0 := 1 / (sum + last); math.Abs(m.Idle-p0) > 1e-6*p0 || math.Abs(m.Waits-last*p0) > 1e-6 {
			t.Fatalf("%+v, want P0 %v and Pw %v", m, p0, last*p0)
		}
	})
}

func TestM43_Servers_is_the_smallest_that_will_do(t *testing.T) {
	for _, c := range []struct {
		name       string
		lambda, mu float64
		acceptable time.Duration
		ca2, cs2   float64
		want       int
	}{
		{"nothing to do", 0, 1, 0, 1, 1, 1},
		{"the article's", 2, 1, 450 * time.Millisecond, 1, 1, 3},
		{"a little less patience", 2, 1, 440 * time.Millisecond, 1, 1, 4},
		{"even service", 2, 1, 440 * time.Millisecond, 1, 0, 3},
		{"uneven service", 2, 1, 430 * time.Millisecond, 1, 9, 5},
		{"all the time in the world", 2, 1, time.Hour, 1, 1, 3},
	} {
		if got, err := Servers(c.lambda, c.mu, c.acceptable, c.ca2, c.cs2, 100); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
	}
	for name, err := range map[string]error{
		"more than there are": second(Servers(50, 1, time.Second, 1, 1, 50)),
		"no wait at all":      second(Servers(2, 1, 0, 1, 1, 50)),
	} {
		if !errors.Is(err, ErrSaturated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := second(Servers(math.NaN(), 1, time.Second, 1, 1, 50)); err == nil || errors.Is(err, ErrSaturated) {
		t.Errorf("no number: %v", err)
	}
}

func second[A any](_ A, err error) error { return err }

func TestServers_and_Erlang_agree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lambda := rapid.Float64Range(0, 200).Draw(t, "lambda")
		mu := rapid.Float64Range(0.5, 50).Draw(t, "mu")
		acceptable := time.Duration(rapid.Int64Range(1, int64(10*time.Second)).Draw(t, "acceptable"))
		ca2, cs2 := rapid.Float64Range(0, 4).Draw(t, "ca2"), rapid.Float64Range(0, 20).Draw(t, "cs2")
		c, err := Servers(lambda, mu, acceptable, ca2, cs2, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := Erlang(lambda, mu, c); err != nil || m.Corrected(ca2, cs2) > acceptable.Seconds() {
			t.Fatalf("%d are not enough: %+v, %v", c, m, err)
		}
		if c > 1 {
			if m, err := Erlang(lambda, mu, c-1); err == nil && m.Corrected(ca2, cs2) <= acceptable.Seconds()*(1-1e-9) {
				t.Fatalf("%d would do as well: %+v", c-1, m)
			}
		}
	})
}
