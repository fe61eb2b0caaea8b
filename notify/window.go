package notify

import "time"

// slots is into how many parts a window is divided: what it holds is exact to
// one of them.
const slots = 60

// window counts what happened in the latest seconds, in bounded memory.
type window struct {
	part  time.Duration
	slots [slots]slot
}

// slot is one part of a window.
type slot struct {
	number int64   // of the part since the beginning of time
	hits   float64 // counted, or the most that was seen
	all    float64 // of which they are a share
}

func newWindow(span time.Duration) *window { return &window{part: max(span/slots, time.Millisecond)} }

// at returns the slot of a moment, emptied when it is a new one.
func (w *window) at(now time.Time) *slot {
	number := now.UnixNano() / int64(w.part)
	s := &w.slots[number%slots]
	if s.number != number {
		*s = slot{number: number}
	}
	return s
}

// sum adds up what is in the window.
func (w *window) sum(now time.Time) (hits, all float64) {
	w.each(now, func(s slot) { hits, all = hits+s.hits, all+s.all })
	return hits, all
}

// most returns the most that was seen in the window.
func (w *window) most(now time.Time) (most float64) {
	w.each(now, func(s slot) { most = max(most, s.hits) })
	return most
}

func (w *window) each(now time.Time, do func(slot)) {
	number := now.UnixNano() / int64(w.part)
	for _, s := range w.slots {
		if s.number > number-slots && s.number <= number {
			do(s)
		}
	}
}
