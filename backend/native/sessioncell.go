package native

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// Begin implements cellwall.Interpreter.
func (s *session) Begin(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	leave, err := s.enter(ctx, "begin session")
	if err != nil {
		return cellwall.End{}, err
	}
	defer leave()
	if s.begun {
		return cellwall.End{}, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "begin session", Err: errors.New("it has begun already"),
		}
	}
	s.begun = true
	s.used.Store(true)
	return s.execute(ctx, &cell{code: code, kind: guest.KindBegin, state: code.State, message: guest.Begin{
		Execution: code.Execution, Inputs: orEmpty(s.inputs), Rows: cmp.Or(code.Rows, s.limits.Rows), Sample: "random",
		Env: withProcessors(code.Env, s.limits.CPUs), State: code.State != nil, Restrict: restriction(code),
	}}, sink)
}

// Cell implements cellwall.Interpreter.
func (s *session) Cell(ctx context.Context, code cellwall.Code, sink cellwall.Sink) (cellwall.End, error) {
	if err := checkCode(code); err != nil {
		return cellwall.End{}, err
	}
	leave, err := s.enter(ctx, "run cell")
	if err != nil {
		return cellwall.End{}, err
	}
	defer leave()
	if !s.begun {
		return cellwall.End{}, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "run cell", Err: errors.New("the session has not begun"),
		}
	}
	file := cmp.Or(code.File, fmt.Sprintf("<cell %d>", code.Count))
	env := maps.Clone(code.Env)
	if env == nil {
		env = map[string]string{}
	}
	return s.execute(ctx, &cell{code: code, kind: guest.KindCell, message: guest.Cell{
		Execution: code.Execution, Source: code.Source, File: file, Count: code.Count, Env: env, Restrict: restriction(code), Tools: toolsOf(code.Functions),
	}}, sink)
}

// cell is one that runs.
type cell struct {
	*run
	code       cellwall.Code
	kind       guest.Kind
	message    any
	state      io.Reader // what goes along with the message
	feeding    *os.File  // through which it goes
	live       *member
	sent       bool        // it hears of interrupts; guarded by session.mu
	escalation *time.Timer // kills it when an interrupt is ignored; guarded by session.mu
}

// execute has the live interpreter run a cell and returns when the kernel says
// how it ended, the state of a checkpoint being live again where that is needed.
// The caller has the turn.
func (s *session) execute(ctx context.Context, c *cell, sink cellwall.Sink) (cellwall.End, error) {
	defer s.clockLost() // unless its end is known by then
	if err := s.ready(ctx, c, sink); err != nil {
		return cellwall.End{}, err
	}
	started := time.Now()
	said := s.send(c)
	if said {
		s.sent(c)
	}
	c.calls.begin(s.channel)
	c.read()
	why := stopEnd
	if said {
		why = s.await(c)
	}
	if c.feeding != nil {
		c.feeding.Close() // nobody is to wait for one who does not read it
	}
	c.calls.end(s.channel)
	s.runs(nil)
	return s.conclude(c, why, said && c.spoke(why), started)
}

// conclude finds out how a cell ended that is over, and makes a state live.
func (s *session) conclude(c *cell, why stop, alive bool, started time.Time) (end cellwall.End, err error) {
	var next *rebirth
	if alive {
		c.pause()
	} else if next, err = s.bury(c); err != nil {
		return end, err
	}
	wall := time.Since(started)
	found, err := c.evidence(why)
	if err != nil {
		s.abort(next)
		return end, s.lost(err)
	}
	status, cause := verdict(found)
	end = cellwall.End{Status: status, Cause: cause, Usage: s.clockOut(c, wall), Met: reached(found), Refused: c.refusals()}
	if alive && !survived(found, status) {
		alive = false
		if next, err = s.bury(c); err != nil {
			return end, err
		}
	}
	s.count++
	if !alive {
		end.Restored = s.restore(next, c.code.KeepFiles)
		return end, nil
	}
	s.settleLater(func() { s.checkpoint(c.code.Execution, wall) })
	return end, nil
}

// ready prepares the streams and counters for a cell.
func (s *session) ready(ctx context.Context, c *cell, sink cellwall.Sink) (err error) {
	c.run = newRun(ctx, s.sandbox, c.code, sink)
	c.live, c.exit = s.live, s.live.exit
	c.notices, s.notices, c.asked = s.notices, nil, s.asked
	c.heard, s.speech.heard = s.speech.heard, nil
	c.takeCalls(c.code, func(reply []byte) error { return s.speech.say(s.channel, guest.KindReply, reply) })
	for _, from := range []stream{s.stdout, s.stderr, s.channel} {
		resume(from)
	}
	if s.group != nil {
		if err := s.group.ResetPeak(); err != nil {
			s.backend.logger.Warn("measure cell", "error", err)
		}
	}
	return s.clockIn(c)
}

// send writes the frame of a cell. An interpreter that does not take it has been
// spoilt by an earlier cell, or has ended since.
func (s *session) send(c *cell) bool {
	payload, err := json.Marshal(c.message)
	if err == nil {
		s.runs(c)
		_ = s.channel.SetWriteDeadline(time.Now().Add(s.backend.helloTimeout))
		if c.state == nil {
			err = s.speech.say(s.channel, c.kind, payload)
		} else {
			err = s.feed(c)
		}
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		c.mu.Lock()
		c.protocol = fmt.Errorf("send cell: %w", err)
		c.mu.Unlock()
	}
	return err == nil
}

// runs says which cell Interrupt means.
func (s *session) runs(c *cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == nil && s.current != nil && s.current.escalation != nil {
		s.current.escalation.Stop()
	}
	s.current = c
}

// await returns why the cell is over. When its caller has gone away it is
// interrupted, and what it says then is waited for.
func (s *session) await(c *cell) stop {
	why := c.wait(c.code.Timeout, s.limits.Timeout)
	if why != stopCancelled {
		return why
	}
	if err := s.interrupt(c); err != nil {
		s.backend.logger.Warn("interrupt cell", "error", err)
		return why
	}
	for !c.settledDown() {
		select {
		case again := <-c.over:
			if again == stopIgnored {
				return stopCancelled
			}
		case <-c.exit.told:
			return stopCancelled
		case <-s.stem.gone:
			return stopCancelled
		}
	}
	return stopCancelled
}

// settledDown reports whether nothing more is to come of a cell that was
// interrupted.
func (c *cell) settledDown() bool { return c.word() != nil || c.overflowed() || c.broken() != nil }

// spoke reports whether the interpreter said that it is done and goes on.
func (c *cell) spoke(why stop) bool {
	return (why == stopEnd || why == stopCancelled) && c.word() != nil && !c.overflowed() && c.broken() == nil
}

// survived reports whether the state of a cell that ended by itself is worth
// keeping. One that met the limit of processes or lost some for want of memory
// left others behind, which would fill the group of those to come.
func survived(e evidence, status cellwall.Status) bool {
	if e.events.OOMKills > 0 || e.output || e.protocol != nil {
		return false
	}
	return status != cellwall.StatusProcessLimit
}

// Interrupt implements cellwall.Interpreter.
func (s *session) Interrupt(execution string) error {
	s.mu.Lock()
	c := s.current
	switch {
	case c == nil || execution != "" && execution != c.code.Execution:
		s.early, c = execution, nil
	case !c.sent: // between two cells the interpreter does not hear it
		s.early, c = c.code.Execution, nil
	}
	s.mu.Unlock()
	if c == nil {
		return nil
	}
	return s.interrupt(c)
}

// sent has a cell hear of interrupts, and of one that came before it.
func (s *session) sent(c *cell) {
	s.mu.Lock()
	c.sent = true
	early := s.early != "" && s.early == c.code.Execution
	s.early = ""
	s.mu.Unlock()
	if !early {
		return
	}
	if err := s.interrupt(c); err != nil {
		s.backend.logger.Warn("interrupt cell", "error", err)
	}
}

// interrupt sends SIGINT to the interpreter alone, and has the cell killed when
// that does not end it.
func (s *session) interrupt(c *cell) error {
	s.mu.Lock()
	if s.current == c && c.escalation == nil {
		c.escalation = time.AfterFunc(cellwall.InterruptPatience, func() { c.stop(stopIgnored) })
	}
	s.mu.Unlock()
	err := c.live.process.Signal(syscall.SIGINT)
	if err != nil && !errors.Is(err, os.ErrClosed) { // the cell has ended since
		return fmt.Errorf("interrupt cell: %w", err)
	}
	return nil
}
