package session

import (
	"context"

	"github.com/cellwall/cellwall"
)

// Interrupt makes the cell that runs end with KeyboardInterrupt, its state
// kept; see cellwall.Interpreter. One whose turn has not come yet, or whose code
// has not been sent, is the one that runs when none is before it. Without a cell it
// does nothing.
func (s *Session) Interrupt() error {
	if err := s.ended("interrupt cell"); err != nil {
		return err
	}
	execution := s.turns.running()
	if execution == "" {
		return nil
	}
	return s.live.Interpreter().Interrupt(execution)
}

// ended fails when the session is over.
func (s *Session) ended(op string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending != "" {
		return s.life.over(op, s.ending)
	}
	return nil
}

// Ask asks about the live state and changes nothing in it. It waits for its
// turn.
func (s *Session) Ask(ctx context.Context, q cellwall.Question) (cellwall.Answer, error) {
	inside, leave, err := s.work(ctx, call{op: "ask session"})
	if err != nil {
		return cellwall.Answer{}, err
	}
	defer leave()
	return s.live.Interpreter().Ask(inside, q)
}
