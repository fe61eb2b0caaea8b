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

	Arrival            float64 // of all requests, refused ones included
	Admission          float64 // λ, of those that were not refused
	Service            float64 // μ of one server; 0 = not known
	ArrivalVariation   float64 // squared coefficient of those that were not refused
	ServiceVariation   float64
	Model              Model         // of Admission and Service; zero when Saturated or not known
	Saturated          bool          // admitted work fills all servers: there is no steady state
	Predicted          time.Duration // mean wait by Model
	PredictedCorrected time.Duration // the same, for the measured variation
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
	seen, length := q.seen.sum(now)
	q.mu.Unlock()

	s.ArrivalVariation, s.ServiceVariation = seen.gaps.variation(), seen.services.variation()
	s.Seen = seconds(seen.waits.mean())
	if length > 0 {
		s.Arrival = float64(seen.arrivals) / length.Seconds()
		s.Admission = float64(seen.gaps.n) / length.Seconds()
	}
	if took := seen.services.mean(); took > 0 {
		s.Service = 1 / took
		s.predict(q.opts.Acceptable)
	}
	return s
}

// predict asks the model.
func (s *Stats) predict(acceptable time.Duration) {
	model, err := Erlang(s.Admission, s.Service, s.Servers)
	if s.Saturated = err != nil; !s.Saturated {
		s.Model = model
		s.Predicted = seconds(model.Wait)
		s.PredictedCorrected = seconds(model.Corrected(s.ArrivalVariation, s.ServiceVariation))
	}
	wanted, err := Servers(s.Arrival, s.Service, acceptable, s.ArrivalVariation, s.ServiceVariation, mostWanted)
	if err != nil {
		wanted = mostWanted
	}
	s.Wanted = wanted
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
