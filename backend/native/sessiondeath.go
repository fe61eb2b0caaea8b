package native

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
)

// clear ends every process of the cells and reads what they wrote. Snapshots are
// in another group and stay. Without groups it ends the session.
func (s *session) clear(c *cell) error {
	if s.snap == nil {
		s.finishWith(errors.New("a cell died, and this host can keep no checkpoint"))
		if err := s.end(); err != nil {
			return err
		}
		c.finish()
		return nil
	}
	err := s.empty()
	c.finish() // whatever happened: nobody may deliver after the call has returned
	return err
}

// empty ends every process of the cells' group.
func (s *session) empty() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.backend.endTimeout)
	defer cancel()
	if err := s.group.Empty(ctx); err != nil {
		s.stem.giveUp() // nobody may wait for a broken one for ever
		return s.lost(err)
	}
	return nil
}

// lost ends a session of which nothing is known any more.
func (s *session) lost(err error) error {
	s.finishWith(err)
	return err
}

// restore makes the state of the newest checkpoint live, or of the one before
// it when that is gone. The cells' group is empty.
func (s *session) restore(keepFiles bool) *cellwall.Restored {
	ran := s.count
	for n := s.line.newest(); n != nil; n = s.line.newest() {
		lost, err := s.resume(n, false)
		if err == nil {
			return &cellwall.Restored{Checkpoint: n.id, Cells: ran - n.count, Lost: lost}
		}
		if s.ended("restore") != nil {
			break
		}
		s.backend.logger.Warn("restore checkpoint", "checkpoint", n.id, "error", err)
		s.letGo(n)
		if err := s.empty(); err != nil {
			break
		}
	}
	s.finishWith(errors.New("a cell died, and no checkpoint was left"))
	return &cellwall.Restored{Cells: ran, Lost: []cellwall.Notice{}}
}
