package queue

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrSaturated is wrapped where work comes as fast as it can be done, or faster:
// the wait grows without end, and no mean describes it.
var ErrSaturated = errors.New("arrivals reach the capacity")

// Model is a queue with one line and c servers, in its steady state. Times are
// in the unit of the rates: seconds for rates per second.
type Model struct {
	Servers     int
	Utilization float64 // λ/(cμ), below 1
	Idle        float64 // P₀, the chance that nobody is here
	Waits       float64 // the chance that who comes has to wait
	Length      float64 // mean number of those who wait
	Wait        float64 // their mean wait, those included who need not
}

// Erlang returns the model for Poisson arrivals at rate lambda and service times
// that are exponential with rate mu, on c servers. It fails with ErrSaturated
// when cμ ≤ λ, and when a number is none or below zero.
func Erlang(lambda, mu float64, c int) (Model, error) {
	if !(lambda >= 0) || !(mu > 0) || math.IsInf(lambda, 0) || math.IsInf(mu, 0) || c < 1 {
		return Model{}, fmt.Errorf("model queue: λ = %v, μ = %v and %d servers are no rates", lambda, mu, c)
	}
	if float64(c)*mu <= lambda {
		return Model{}, fmt.Errorf("model queue: λ = %v, μ = %v and %d servers: %w", lambda, mu, c, ErrSaturated)
	}
	return erlang(lambda, mu, c, blocking(lambda/mu, c)), nil
}

// blocking is Erlang's B, by the recursion that neither overflows nor loses
// digits.
func blocking(load float64, c int) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = load * b / (float64(k) + load*b)
	}
	return b
}

func erlang(lambda, mu float64, c int, b float64) Model {
	m := Model{Servers: c, Utilization: lambda / (float64(c) * mu)}
	m.Idle = idle(lambda/mu, c, m.Utilization)
	m.Waits = b / (1 - m.Utilization*(1-b))
	m.Length = m.Waits * m.Utilization / (1 - m.Utilization)
	m.Wait = m.Waits / (float64(c)*mu - lambda)
	return m
}

// idle is P₀ = 1 / (Σ aᵏ/k! for k < c, + aᶜ/c! / (1-ρ)), in logarithms: the terms
// are larger than a float64 from about 700 servers on.
func idle(load float64, c int, utilization float64) float64 {
	if load == 0 {
		return 1
	}
	term, sum := 0.0, math.Inf(-1) // ln a⁰/0!, ln 0
	for k := 1; k <= c; k++ {
		sum = logAdd(sum, term)
		term += math.Log(load) - math.Log(float64(k))
	}
	return math.Exp(-logAdd(sum, term-math.Log1p(-utilization)))
}

// logAdd is ln(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	high, low := max(a, b), min(a, b)
	return high + math.Log1p(math.Exp(low-high))
}

// Corrected is the mean wait for arrivals and service times of any distribution,
// by the approximation of Allen and Cunneen: ca2 and cs2 are their variances over
// the squares of their means, 1 and 1 in Erlang's own case.
func (m Model) Corrected(ca2, cs2 float64) float64 { return m.Wait * (ca2 + cs2) / 2 }

// Servers returns the smallest number of servers with which the corrected mean
// wait is acceptable. More than most is ErrSaturated, and so is no acceptable wait
// at all.
func Servers(lambda, mu float64, acceptable time.Duration, ca2, cs2 float64, most int) (int, error) {
	if _, err := Erlang(0, mu, 1); err != nil || !(lambda >= 0) || math.IsInf(lambda, 0) {
		return 0, fmt.Errorf("size queue: λ = %v and μ = %v are no rates", lambda, mu)
	}
	load, b := lambda/mu, 1.0
	for c := 1; c <= most; c++ {
		b = load * b / (float64(c) + load*b)
		if load < float64(c) && erlang(lambda, mu, c, b).Corrected(ca2, cs2) <= acceptable.Seconds() {
			return c, nil
		}
	}
	return 0, fmt.Errorf("size queue: λ = %v, μ = %v, %v and at most %d servers: %w", lambda, mu, acceptable, most, ErrSaturated)
}
