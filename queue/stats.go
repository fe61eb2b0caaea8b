package queue

import "time"

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

	Arrival            float64 // of all requests, refused ones included; not of those who went away
	Admission          float64 // λ, of those that stayed for their turn
	Service            float64 // μ of one server; 0 = not known
	ArrivalVariation   float64 // squared coefficient of those that stayed
	ServiceVariation   float64
	Variation          float64       // of arrivals and service in sums as long as decide the wait; 2 = as Erlang has it
	Rates              []float64     // turns that end per second while 1, 2 … requests are here, see [Loaded]; nil = not known
	Model              Model         // of Admission and Rates, or as seen where too many were refused or went away; zero when Saturated or not known
	Saturated          bool          // what came to stay fills all servers: there is no steady state
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
	s := Stats{
		Servers: q.opts.Servers, Running: q.running, Waiting: q.waiting, Tenants: len(q.lines), Counts: q.counts,
	}
	until := q.seen.until(now)
	seen, begins := q.seen.sum(now)
	q.mu.Unlock()

	s.ArrivalVariation, s.ServiceVariation = seen.gaps[0].variation(), seen.services.variation()
	s.Seen = seconds(seen.waits.mean())
	if length := now.Sub(begins).Seconds(); length > 0 {
		s.Arrival = float64(max(seen.arrivals, 0)) / length
	}
	length := until.Sub(begins).Seconds()
	if length > 0 {
		s.Admission = float64(seen.gaps[0].n) / length
	}
	if took := seen.services.mean(); took > 0 {
		s.Service = 1 / took
		s.predict(&seen, length, q.opts.Acceptable)
	}
	return s
}

// predict asks the model.
func (s *Stats) predict(seen *slot, length float64, acceptable time.Duration) {
	s.Variation = s.ArrivalVariation + s.ServiceVariation
	rates, free, independent := rates(seen.states, seen.services, s.Servers)
	s.Rates = rates
	model, err := loaded(s.Admission, rates, free, s.Servers)
	switch spare := rates[len(rates)-1] - s.Admission; {
	case float64(seen.away) > few*spare*length:
		s.Model = held(seen, s.Admission, length, s.Servers)
		s.Predicted = seconds(s.Model.Wait)
		s.PredictedCorrected = s.Predicted
	case err != nil:
		s.Saturated = true
	default:
		if seen.full[0].n >= 2*enough {
			s.Variation = variation(&seen.gaps, &seen.full, model.Utilization)
		}
		s.Model = model
		s.Predicted = seconds(model.Wait)
		v := s.Variation
		if !independent { // how even turns are is in the rates that were seen
			v = s.ArrivalVariation + 1
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
