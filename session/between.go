package session

import (
	"context"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Spent is the processor time of a session, user and system.
type Spent struct {
	Cells    time.Duration // of its beginning and its cells: the sum of their usage
	Between  time.Duration // beside them, see cellwall.Metered
	Measured bool          // false: nobody counts here what runs beside cells
}

// between is what ran in a session beside its cells, as far as it was counted.
type between struct {
	mu       sync.Mutex
	spent    time.Duration
	measured bool
	over     bool // the sandbox is given up
}

// Spent says what the session has used. What ran beside its cells since anybody last
// looked is counted by that. It waits for nobody.
func (s *Session) Spent() Spent {
	s.measure()
	s.between.mu.Lock()
	spent := Spent{Between: s.between.spent, Measured: s.between.measured}
	s.between.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	spent.Cells = s.cells
	return spent
}

// Measure counts what has run beside the cells of every session that lives, for
// whoever wants bills to keep up with sessions that stand idle.
func (s *Sessions) Measure() {
	for _, one := range s.All() {
		one.measure()
	}
}

// measure counts, once, what ran beside the cells since the last time.
func (s *Session) measure() {
	b := &s.between
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	m, ok := s.live.Interpreter().(cellwall.Metered)
	if !ok {
		return
	}
	spent, measured := m.Between()
	b.measured = measured
	more := spent - b.spent
	if !measured || more <= 0 {
		return
	}
	b.spent = spent
	if s.meter != nil {
		s.meter.Ran(more)
	}
	if told := s.all.opts.Between; told != nil {
		told(s.req.Identity, more)
	}
}

// measureLast ends what runs in the session, so that nothing runs uncounted, and
// counts the rest. The caller has the last turn.
func (s *Session) measureLast() {
	inside := s.live.Interpreter()
	if _, ok := inside.(cellwall.Metered); ok {
		if _, err := inside.Harvest(context.Background()); err != nil {
			s.all.opts.Logger.Warn("end processes of session", "session", s.id, "error", err)
		}
	}
	s.measure()
	s.between.mu.Lock()
	defer s.between.mu.Unlock()
	s.between.over = true
}
