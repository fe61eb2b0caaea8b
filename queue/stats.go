package queue

import (
	"math"
	"time"
)

// Counts grow over the life of a queue.
type Counts struct {
	Admitted int64 // were given a turn
	Full     int64 // refused: a line was full
	Shed     int64 // refused: the predicted wait was too long
	Left     int64 // went away while they waited
}

// Stats is a queue at one moment, and what it saw in the latest Options.Window.
// Rates are per second.
type Stats struct {
	Servers int
	Running int
	Waiting int
	Tenants int // that are here
	Counts

	Arrival            float64 // of all requests, refused ones included
	Admission          float64 // λ, of those that were not refused
	Service            float64 // μ of one server; 0 = not known
	ArrivalVariation   float64 // squared coefficient of those that were not refused
	ServiceVariation   float64
	Variation          float64       // of arrivals and service in sums as long as decide the wait; 2 = as Erlang has it
	Rates              []float64     // turns that end per second while 1, 2 … run; nil = not known
	Model              Model         // of Admission and Rates; zero when Saturated or not known
	Saturated          bool          // admitted work fills all servers: there is no steady state
	Predicted          time.Duration // mean wait by Model
	PredictedCorrected time.Duration // the same, for the measured Variation
	Seen               time.Duration // mean wait of those whose turn began
	Wanted             int           // servers with which Arrival's mean wait were acceptable; 0 = not known
}

// mostWanted is where the search for Stats.Wanted ends.
const mostWanted = 4096

// Stats returns the figures of this moment.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	now := time.Now()
	q.passed(now)
	s := Stats{
		Servers: q.opts.Servers, Running: q.running, Waiting: q.waiting, Tenants: len(q.lines), Counts: q.counts,
	}
	seen, length := q.seen.sum(now)
	q.mu.Unlock()

	s.ArrivalVariation, s.ServiceVariation = seen.gaps[0].variation(), seen.services.variation()
	s.Seen = seconds(seen.waits.mean())
	if length > 0 {
		s.Arrival = float64(seen.arrivals) / length.Seconds()
		s.Admission = float64(seen.gaps[0].n) / length.Seconds()
	}
	if took := seen.services.mean(); took > 0 {
		s.Service = 1 / took
		var independent bool
		s.Rates, independent = rates(seen.states, seen.services, s.Servers)
		s.predict(&seen, independent, q.opts.Acceptable)
	}
	return s
}

// expected is as how many turns of the mean length a state is held to before any
// are seen in it: what is rare is not known from a few.
const expected = 8

// uneven is by how much turns look slower among many when they are not, for each
// unit of their squared coefficient of variation: the long ones are who is there.
const uneven = 1. / 20

// inRates is the power that is left to the correction for even turns where the rates
// are as they were seen: on a clock of its own 2 to 4 servers want 0.6 to 0.8.
const inRates = 0.7

// rates is how many turns end per second while 1, 2 … of c run. Where a turn is about
// as fast beside others as alone, they are those of independent servers. Else they
// are as they were seen: a state is entered from below as often as it is left
// downwards, so that the mean numbers of those who run come out as they were, however
// turns slow each other down.
func rates(states []state, services moments, c int) (all []float64, independent bool) {
	mean := services.mean()
	all = make([]float64, c)
	var some, full state
	for i := range all {
		seen := state{}
		if i < len(states) {
			seen = states[i]
		}
		n, turns := float64(seen.ends+expected), float64(i+1)*seen.seconds+expected*mean
		all[i] = n / turns * float64(i+1)
		if i == c-1 {
			full = state{seen.ends + expected, turns}
		} else {
			some = state{some.ends + seen.ends + expected, some.seconds + turns}
		}
	}
	independent = c == 1 || full.rate() > (1-min(uneven*services.variation(), 0.5))*some.rate()
	if independent {
		for i := range all {
			all[i] = float64(i+1) / mean
		}
	}
	return all, independent
}

// rate is how many turns end per second.
func (s state) rate() float64 { return float64(s.ends) / s.seconds }

// predict asks the model.
func (s *Stats) predict(seen *slot, independent bool, acceptable time.Duration) {
	s.Variation = s.ArrivalVariation + s.ServiceVariation
	model, err := Loaded(s.Admission, s.Rates)
	if s.Saturated = err != nil; !s.Saturated {
		if seen.full[0].n >= 2*enough {
			s.Variation = variation(&seen.gaps, &seen.full, model.Utilization)
		}
		s.Model = model
		s.Predicted = seconds(model.Wait)
		v := s.Variation
		if !independent && v < 2 { // how even turns are is in the rates that were seen, in part
			v = 2 * math.Pow(v/2, inRates)
		}
		s.PredictedCorrected = seconds(model.Corrected(v, 0))
	}
	wanted, err := Servers(s.Arrival, s.Service, acceptable, s.Variation, 0, mostWanted)
	if err != nil {
		wanted = mostWanted
	}
	s.Wanted = wanted
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
