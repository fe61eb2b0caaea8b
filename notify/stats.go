package notify

import (
	"sync/atomic"

	"github.com/cellwall/cellwall"
)

// Stats are what a bus did since it was opened.
type Stats struct {
	Taken   int64 // deliveries that were taken
	Retried int64 // tries that failed and are made again
	GivenUp int64 // deliveries that nobody took in the end
	Lost    int64 // events that found no room or could not be kept
}

// tried counts deliveries by what came of a try.
type tried struct{ taken, retried, givenUp atomic.Int64 }

func (t *tried) count(state cellwall.DeliveryState) {
	switch state {
	case cellwall.DeliveryTaken:
		t.taken.Add(1)
	case cellwall.DeliveryGivenUp:
		t.givenUp.Add(1)
	default:
		t.retried.Add(1)
	}
}

// Stats returns the figures of this moment.
func (b *Bus) Stats() Stats {
	return Stats{Taken: b.tried.taken.Load(), Retried: b.tried.retried.Load(), GivenUp: b.tried.givenUp.Load(), Lost: b.Lost()}
}
