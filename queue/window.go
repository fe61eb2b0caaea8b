package queue

import "time"

// slots is into how many parts a window is cut: the oldest is forgotten as a
// whole.
const slots = 60

// window measures what happened lately, in memory that does not grow.
type window struct {
	start time.Time
	width time.Duration // of a slot
	slots [slots]slot
	last  time.Time // of the latest that stayed
	gaps  sums
	full  sums
	gone  slot // of what is older than the window
}

type slot struct {
	epoch    int64 // which slot since start this is, plus 1
	arrivals int   // refused ones included, those who left not
	away     int   // refused, and those who left
	waited   int   // turns that were waited for
	waits    moments
	services moments    // of all
	gaps     dispersion // between those that stayed
	full     dispersion // services of turns that began as the last free one
	states   []state    // while 1, 2 … requests were here
}

// state is for how many seconds so many requests were here, ran or waited, and how
// often a turn ended then.
type state struct {
	ends    int
	seconds float64
	free    float64 // seconds that a server stood free though somebody waited
}

// mostHere is the longest line that has a state of its own, beside the servers.
const mostHere = 64

// in returns the state in which so many are here, at least one.
func (s *slot) in(here int) *state {
	for len(s.states) < here {
		s.states = append(s.states, state{})
	}
	return &s.states[here-1]
}

func newWindow(now time.Time, length time.Duration) window {
	return window{start: now, width: max(length/slots, 1)}
}

func (w *window) epoch(now time.Time) int64 { return int64(now.Sub(w.start)/w.width) + 1 }

func (w *window) slot(now time.Time) *slot {
	epoch := w.epoch(now)
	s := &w.slots[epoch%slots]
	if s.epoch > epoch {
		s = &w.gone
	}
	if s.epoch != epoch {
		*s = slot{epoch: epoch, states: s.states[:0]}
	}
	return s
}

func (w *window) arrival(now time.Time) { w.slot(now).arrivals++ }

// refused notes that the one who came was turned away.
func (w *window) refused(now time.Time) { w.slot(now).away++ }

// left notes that one who came then went away: it wanted no server after all.
func (w *window) left(now, came time.Time) {
	w.slot(now).away++
	if s := &w.slots[w.epoch(came)%slots]; s.epoch == w.epoch(came) {
		s.arrivals--
	}
}

// sum joins the slots that lie in the window, and tells when that begins.
func (w *window) sum(now time.Time) (total slot, begins time.Time) {
	oldest := max(w.epoch(now)-slots+1, 1)
	for i := range w.slots {
		if s := &w.slots[i]; s.epoch >= oldest {
			total.arrivals += s.arrivals
			total.away += s.away
			total.waited += s.waited
			total.gaps.join(&s.gaps)
			total.full.join(&s.full)
			for i, o := range s.states {
				t := total.in(i + 1)
				*t = t.and(o)
			}
			total.waits.join(s.waits)
			total.services.join(s.services)
		}
	}
	return total, w.start.Add(time.Duration(oldest-1) * w.width)
}

// moments are the first two of a sample.
type moments struct {
	n           int
	sum, square float64
}

func (m *moments) add(x float64) { m.n, m.sum, m.square = m.n+1, m.sum+x, m.square+x*x }

func (m *moments) join(o moments) {
	m.n, m.sum, m.square = m.n+o.n, m.sum+o.sum, m.square+o.square
}

func (m *moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / float64(m.n)
}

// variation is the variance over the square of the mean, and 1, that of
// the exponential distribution, until there are two.
func (m *moments) variation() float64 {
	mean := m.mean()
	if m.n < 2 || mean == 0 {
		return 1
	}
	return max(0, m.square/float64(m.n)/(mean*mean)-1)
}
