package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// ending is why a session is over.
type ending string

// The endings.
const (
	endClosed ending = "closed"
	endIdle   ending = "idle"
	endTotal  ending = "total"
	endDied   ending = "died"
)

var errPaused = errors.New("the session is paused")

// expire ends the session when nobody has used it for too long. The timer may
// have fired just when somebody came.
func (s *Session) expire() { s.endWhen(endIdle, true) }

// end ends the session: who waits is turned away, the cell that runs is
// cancelled, and the sandbox is given up behind it.
func (s *Session) end(why ending) { s.endWhen(why, false) }

func (s *Session) endWhen(why ending, idle bool) {
	s.mu.Lock()
	resting := idle && (s.paused || time.Since(s.used) < s.life.Idle)
	first := !resting && s.turns.end(func(op string) error { return s.life.over(op, why) }, idle)
	if first {
		s.ending = why
		s.idle.Stop()
		s.total.Stop()
	}
	s.mu.Unlock()
	if !first {
		return
	}
	s.all.opts.Logger.Info("end session", "session", s.id, "why", string(why), "age", time.Since(s.began))
	s.quit(s.life.over("run cell", why))
	go func() {
		<-s.turns.drained
		s.measureLast()
		s.live.Close()
		s.all.put(s, why)
		close(s.gone)
	}()
}

// over is the error of a call on a session that ended.
func (l Life) over(op string, why ending) error {
	reason := map[ending]string{
		endClosed: "it was closed",
		endIdle:   fmt.Sprintf("nobody used it for %v", l.Idle),
		endTotal:  fmt.Sprintf("it was open for %v, its longest time", l.Total),
		endDied:   "a cell died and no state could be restored",
	}[why]
	return conflict(op, cellwall.ErrSessionOver, reason+"; open another session")
}
