package session

import (
	"context"

	"github.com/cellwall/cellwall"
)

// Pause freezes the session: nothing of it runs, its memory stays charged. It
// fails with CodeConflict while a cell runs. A paused session is not idle, and
// as old as any other.
func (s *Session) Pause(ctx context.Context) error { return s.freeze(ctx, "pause session", true) }

// Resume lets a paused session go on.
func (s *Session) Resume(ctx context.Context) error { return s.freeze(ctx, "resume session", false) }

func (s *Session) freeze(ctx context.Context, op string, pause bool) error {
	leave, err := s.enter(ctx, call{op: op, rush: true})
	if err != nil {
		return err
	}
	defer leave()
	freezer, ok := s.live.Interpreter().(cellwall.Pauser)
	if !ok {
		return s.cannot(op, "freeze a session")
	}
	if pause {
		err = freezer.Pause(ctx)
	} else {
		err = freezer.Resume(ctx)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = pause
	return nil
}
