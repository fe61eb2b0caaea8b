package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Rooms are asked for their figures when somebody reads; each must answer from
// memory. A nil one has none.
type Rooms struct {
	Queue    func() Queue
	Pools    func() []Pool
	Store    func() Batches
	Audit    func() Batches
	Webhooks func() Webhooks
	Spans    func() Spans
}

// Queue is the line in front of the sandboxes. Rates are per second.
type Queue struct {
	Servers, Wanted, Running, Waiting, Tenants int
	Admitted, Full, Shed, Left                 int64
	Arrival, Admission, Service                float64
	Predicted, Corrected, Seen                 time.Duration
}

// Pool is the sandboxes ready of one kind. Two of one Environment and Session
// must be summed before.
type Pool struct {
	Environment                     string // "" = opened without a pool
	Session                         bool
	Ready, Target, Filling, Closing int
	Claims, Misses, Discarded       int64
	Failed, CloseFailed             int64
}

// Batches are writes that shared a commit, or an append to the records.
type Batches struct {
	Batches, Entries int64
	Took             time.Duration // of all batches; of PostgreSQL the sync included
}

// Webhooks are deliveries, and events that got lost before they were any.
type Webhooks struct{ Taken, Retried, GivenUp, Lost int64 }

// Spans are parts of traces.
type Spans struct{ Sent, Lost int64 }

// Ask has the rooms' figures read together with what the metrics count. Call it
// once.
func (m *Metrics) Ask(r Rooms) { m.registry.MustRegister(&asked{rooms: r, figures: describe()}) }

// asked gathers what the rooms know.
type asked struct {
	rooms   Rooms
	figures map[string]*prometheus.Desc
}

// Describe names all figures.
func (a *asked) Describe(to chan<- *prometheus.Desc) {
	for _, d := range a.figures {
		to <- d
	}
}

// Collect asks each room once.
func (a *asked) Collect(to chan<- prometheus.Metric) {
	say := teller{a.figures, to}
	if a.rooms.Queue != nil {
		say.queue(a.rooms.Queue())
	}
	if a.rooms.Pools != nil {
		for _, p := range a.rooms.Pools() {
			say.pool(p)
		}
	}
	if a.rooms.Store != nil {
		say.batches("store", a.rooms.Store())
	}
	if a.rooms.Audit != nil {
		say.batches("audit", a.rooms.Audit())
	}
	if a.rooms.Webhooks != nil {
		say.webhooks(a.rooms.Webhooks())
	}
	if a.rooms.Spans != nil {
		say.spans(a.rooms.Spans())
	}
}
