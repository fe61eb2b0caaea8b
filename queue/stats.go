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
	Variation          float64       // of arrivals and service in sums as long as decide the wait; 2 = as Erlang has it
	Rates              []float64     // turns that end per second while 1, 2 … requests are here, see [Loaded]; nil = not known
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

// rates is how many turns end per second while 1, 2 … are here, of which c run.
// Where a turn is about as fast beside others as alone, they are those of independent
// servers. Else they are as they were seen: a state is entered from below as often as
// it is left downwards, so that the mean numbers of those who run and wait come out
// as they were, however turns slow each other down and however even they are. Of
// long lines too few were seen: for them stands what all servers did.
func rates(states []state, services moments, c int) (all []float64, independent bool) {
	usual := state{expected, expected * services.mean()} // a server's, before it is known
	var some state                                       // a server's beside idle ones
	for i := range c - 1 {
		seen := usual
		if i < len(states) {
			seen = seen.and(states[i].of(i + 1))
		}
		some = some.and(seen)
		all = append(all, float64(i+1)*seen.rate())
	}
	full := usual // a server's where all are busy
	for i := c - 1; i < len(states); i++ {
		full = full.and(states[i].of(c))
	}
	independent = c == 1 || full.rate() > (1-min(uneven*services.variation(), 0.5))*some.rate()
	if independent {
		all = all[:0]
		for i := range c {
			all = append(all, float64(i+1)/services.mean())
		}
		return all, true
	}
	for i := c - 1; i < len(states) && states[i].ends >= enough; i++ {
		likely := state{expected, expected / full.rate()}
		all = append(all, float64(c)*states[i].of(c).and(likely).rate())
	}
	return append(all, float64(c)*full.rate()), false
}

// of is what each of so many servers did that were busy together.
func (s state) of(running int) state { return state{s.ends, s.seconds * float64(running)} }

func (s state) and(o state) state { return state{s.ends + o.ends, s.seconds + o.seconds} }

// rate is how many turns end per second.
func (s state) rate() float64 { return float64(s.ends) / s.seconds }

// predict asks the model.
func (s *Stats) predict(seen *slot, independent bool, acceptable time.Duration) {
	s.Variation = s.ArrivalVariation + s.ServiceVariation
	model, err := Loaded(s.Admission, s.Rates, s.Servers)
	if s.Saturated = err != nil; !s.Saturated {
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
