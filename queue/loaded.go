package queue

import (
	"fmt"
	"math"
)

// Loaded is [Erlang] for servers that slow each other down, as those do that
// share processors: rates[k-1] is how many turns end per second while k run. The
// last rate is that of all servers, whoever waits. With rates of kμ it is Erlang.
// It fails with ErrSaturated when the last rate is not above lambda.
func Loaded(lambda float64, rates []float64) (Model, error) {
	c := len(rates)
	for _, r := range rates {
		if !(r > 0) || math.IsInf(r, 0) {
			return Model{}, fmt.Errorf("model queue: %v are no rates", rates)
		}
	}
	if !(lambda >= 0) || c == 0 {
		return Model{}, fmt.Errorf("model queue: λ = %v and %d servers are no rates", lambda, c)
	}
	all := rates[c-1]
	if all <= lambda {
		return Model{}, fmt.Errorf("model queue: λ = %v, where %v end while all work: %w", lambda, all, ErrSaturated)
	}
	m := Model{Servers: c, Utilization: lambda / all, Idle: 1}
	if lambda == 0 {
		return m, nil
	}
	// State k is Π λ/rate times as likely as none: in logarithms, as in idle.
	term, sum := 0.0, math.Inf(-1)
	for _, r := range rates {
		sum = logAdd(sum, term)
		term += math.Log(lambda) - math.Log(r)
	}
	tail := term - math.Log1p(-m.Utilization) // c here, or more
	sum = logAdd(sum, tail)
	m.Idle, m.Waits = math.Exp(-sum), math.Exp(tail-sum)
	m.Length = m.Waits * m.Utilization / (1 - m.Utilization)
	m.Wait = m.Waits / (all - lambda)
	return m, nil
}
