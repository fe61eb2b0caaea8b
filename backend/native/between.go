package native

import (
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// between tells what runs in a session beside its cells. The counter of the cells'
// group goes on through every death and rollback; what it shows at the ends of a cell
// is read for that cell anyway. Snapshots, and what they fork, count in their cages.
type between struct {
	mu      sync.Mutex    // taken before that of the cages
	begun   bool          // a cell has, or Begin
	over    bool          // the groups are gone
	apart   time.Duration // on the counter: before the first cell, and of all cells
	running bool          // a cell does
	began   time.Duration // on the counter, when it did
	told    time.Duration // at most so far
}

var _ cellwall.Metered = (*session)(nil)

// Between implements cellwall.Metered. It reads one counter, and the cages' once a
// second at most while the session lives.
func (s *session) Between() (time.Duration, bool) {
	b := &s.between
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.measured() {
		return 0, false
	}
	if b.begun && !b.over {
		b.told = max(b.told, s.beside())
	}
	return b.told, true
}

// measured reports whether the kernel counts the processor time of the session.
func (s *session) measured() bool { return s.group != nil && s.idle.CPU >= 0 }

// beside reads the counters. The caller holds mu.
func (s *session) beside() time.Duration {
	now := s.between.began
	if !s.between.running {
		var err error
		if now, err = s.group.CPU(); err != nil {
			s.backend.logger.Warn("measure session between cells", "error", err)
			return 0 // what was told before is more
		}
	}
	spent := now - s.between.apart
	if s.cages != nil {
		spent += s.cages.spent(!s.sandbox.Alive())
	}
	return spent
}

// clockIn reads the counters where a cell begins.
func (s *session) clockIn(c *cell) (err error) {
	b := &s.between
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.base, err = s.sandbox.count(); err != nil {
		return err
	}
	if !b.begun {
		b.begun, b.apart = true, c.base.usage.CPU
	}
	b.running, b.began = true, c.base.usage.CPU
	return nil
}

// clockOut measures a cell that has ended. What runs from here on is not its own.
func (s *session) clockOut(c *cell, wall time.Duration) cellwall.Usage {
	b := &s.between
	b.mu.Lock()
	defer b.mu.Unlock()
	usage, cpu := c.measure(wall)
	b.running, b.apart = false, b.apart+cpu
	return usage
}

// clockLost is clockOut of a cell whose end is not known: its time is told with what
// ran beside the others.
func (s *session) clockLost() {
	s.between.mu.Lock()
	defer s.between.mu.Unlock()
	s.between.running = false
}

// lastWord keeps what the counters say when everybody is dead, before they go.
func (s *session) lastWord() {
	s.Between()
	s.between.mu.Lock()
	defer s.between.mu.Unlock()
	s.between.over = true
}
