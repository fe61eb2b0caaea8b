package queue

import (
	"fmt"
	"math"
)

// Loaded is [Erlang] for c servers that slow each other down, as those do that
// share processors: rates[k-1] is how many turns end per second while k requests
// are here, of which c run and the others wait. There is one for each server at
// least, and the last one holds for more requests, too. With rates of kμ it is
// Erlang. It fails with ErrSaturated when the last rate is not above lambda.
func Loaded(lambda float64, rates []float64, c int) (Model, error) {
	return loaded(lambda, rates, nil, c)
}

// loaded is Loaded where free servers are left to others, in the mean, while c, c+1 …
// requests are here: so many more wait. The last one holds for more.
func loaded(lambda float64, rates, free []float64, c int) (Model, error) {
	for _, r := range rates {
		if !(r > 0) || math.IsInf(r, 0) {
			return Model{}, fmt.Errorf("model queue: %v are no rates", rates)
		}
	}
	if !(lambda >= 0) || c < 1 || c > len(rates) {
		return Model{}, fmt.Errorf("model queue: λ = %v and %d servers are no rates", lambda, c)
	}
	all := rates[len(rates)-1]
	if all <= lambda {
		return Model{}, fmt.Errorf("model queue: λ = %v, where %v end while all work: %w", lambda, all, ErrSaturated)
	}
	m := Model{Servers: c, Utilization: lambda / all, Idle: 1}
	if lambda == 0 {
		return m, nil
	}
	// State k is Π λ/rate times as likely as none: in logarithms, as in idle.
	terms, sum := make([]float64, 0, len(rates)), math.Inf(-1)
	term := 0.0
	for _, r := range rates {
		terms, sum = append(terms, term), logAdd(sum, term)
		term += math.Log(lambda) - math.Log(r)
	}
	tail := term - math.Log1p(-m.Utilization) // more here than there are rates, or as many
	sum = logAdd(sum, tail)
	m.Idle, m.Waits = math.Exp(-sum), math.Exp(tail-sum)
	m.Length = m.Waits * (float64(len(rates)-c) + m.Utilization/(1-m.Utilization))
	for here := c; here < len(rates); here++ {
		m.Waits += math.Exp(terms[here] - sum)
		m.Length += math.Exp(terms[here]-sum) * float64(here-c)
	}
	if len(free) > 0 {
		m.Length += math.Exp(tail-sum) * at(free, len(rates)-c)
		for here := c; here < len(rates); here++ {
			m.Length += math.Exp(terms[here]-sum) * at(free, here-c)
		}
	}
	m.Wait = m.Length / lambda
	return m, nil
}

func at(list []float64, i int) float64 { return list[min(i, len(list)-1)] }
