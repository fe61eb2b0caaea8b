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
	last  time.Time // of the latest that was not refused
}

type slot struct {
	epoch    int64 // which slot since start this is, plus 1
	arrivals int   // refused ones included
	gaps     moments
	waits    moments
	services moments
}

func newWindow(now time.Time, length time.Duration) *window {
	return &window{start: now, width: max(length/slots, 1)}
}

func (w *window) epoch(now time.Time) int64 { return int64(now.Sub(w.start)/w.width) + 1 }

func (w *window) slot(now time.Time) *slot {
	epoch := w.epoch(now)
	s := &w.slots[epoch%slots]
	if s.epoch != epoch {
		*s = slot{epoch: epoch}
	}
	return s
}

func (w *window) arrival(now time.Time) { w.slot(now).arrivals++ }

func (w *window) waited(now time.Time, wait time.Duration) { w.slot(now).waits.add(wait.Seconds()) }

// joined notes that a request that was not refused came.
func (w *window) joined(now time.Time) {
	s := w.slot(now)
	if !w.last.IsZero() {
		s.gaps.add(now.Sub(w.last).Seconds())
	}
	w.last = now
}

func (w *window) service(now time.Time, took time.Duration) { w.slot(now).services.add(took.Seconds()) }

// sum joins the slots that lie in the window, and tells how long that is.
func (w *window) sum(now time.Time) (total slot, length time.Duration) {
	oldest := max(w.epoch(now)-slots+1, 1)
	for i := range w.slots {
		if s := &w.slots[i]; s.epoch >= oldest {
			total.arrivals += s.arrivals
			total.gaps.join(s.gaps)
			total.waits.join(s.waits)
			total.services.join(s.services)
		}
	}
	return total, now.Sub(w.start.Add(time.Duration(oldest-1) * w.width))
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
