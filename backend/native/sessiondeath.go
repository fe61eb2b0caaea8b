package native

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// rebirth is a live interpreter that a snapshot was asked for.
type rebirth struct {
	from *node
	done chan struct{} // closed when the rest is set
	live *member
	lost []cellwall.Notice
	err  error
	shut func() // the gate's window, once the kernel's grace period is over
}

// bear has a snapshot fork the next live interpreter, while the cells' group may
// still be being emptied: it is born among the snapshots and runs nothing before
// it is sent a cell. The snapshot stays. Each rebirth ends in settleIn or abort.
func (s *session) bear(n *node, reseed bool) *rebirth {
	s.hurry(n.cage, true)
	shut, stirred := s.gate.open(n.snapshot.pid), stir(n.cage, n.snapshot)
	b := &rebirth{from: n, done: make(chan struct{}), shut: func() {
		stirred()
		shut()
		s.hurry(n.cage, false)
	}}
	go func() {
		defer close(b.done)
		var up guest.Up
		b.live, b.err = s.beget(n.snapshot.channel, guest.KindResume, guest.Resume{Checkpoint: n.id, Reseed: reseed}, birth{
			says: guest.KindUp, as: &up, in: n.cage,
		})
		b.lost = told(up.Lost)
	}()
	return b
}

// settleIn makes the newcomer the live interpreter. The cells' group has to be
// empty. It moves there behind the answer; one that cannot is killed, which the
// next cell finds.
func (s *session) settleIn(b *rebirth) error {
	<-b.done
	if b.err != nil {
		s.abort(b)
		return b.err
	}
	s.live.release()
	s.live, s.channel, s.count = b.live, b.live.channel, b.from.count
	s.speech = speech{}
	s.tree.live = b.from
	s.weighAnew()
	s.settleLater(func() {
		defer b.shut()
		if err := s.group.MoveIn(b.live.pid); err != nil {
			s.backend.logger.Warn("move interpreter", "error", err)
			_ = b.live.process.Kill()
		}
	})
	return nil
}

// abort ends a newcomer that is not wanted, or did not speak.
func (s *session) abort(b *rebirth) {
	if b == nil {
		return
	}
	defer b.shut()
	<-b.done
	if b.live != nil {
		b.live.discard()
		return
	}
	s.killStrays(b.from.cage, b.from.snapshot.pid)
}

// bury ends a cell with all its processes, while what follows is being born.
func (s *session) bury(c *cell) (*rebirth, error) {
	b := s.expect()
	if err := s.clear(c); err != nil {
		s.abort(b)
		return nil, err
	}
	return b, nil
}

// clear ends every process of the cells and reads what they wrote. Snapshots are
// in another group and stay. Without groups it ends the session.
func (s *session) clear(c *cell) error {
	if s.cages == nil {
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

// expect asks the newest checkpoint for the interpreter that follows a dead one;
// nil when there is none.
func (s *session) expect() *rebirth {
	s.prune()
	if s.tree.live == nil {
		return nil
	}
	return s.bear(s.tree.live, false)
}

// restore makes the state of the newest checkpoint live, or of the one before
// it when that is gone. The cells' group is empty. A snapshot that lives is asked
// twice: a host may have been short of something for a moment.
func (s *session) restore(b *rebirth, keepFiles bool) *cellwall.Restored {
	ran := s.count
	var asked *node
	for ; b != nil; b = s.expect() {
		files, lost := false, []cellwall.Notice(nil)
		if !keepFiles {
			files, lost = s.restoreFiles(b.from)
		}
		err := s.settleIn(b)
		if err == nil {
			return &cellwall.Restored{
				Checkpoint: b.from.id, Cells: ran - b.from.count, Files: files, Lost: append(b.lost, lost...),
			}
		}
		s.backend.logger.Warn("restore checkpoint", "checkpoint", b.from.id, "error", err)
		if s.ended("restore") != nil {
			break
		}
		if asked == b.from {
			s.letGo(b.from)
		}
		asked = b.from
	}
	s.finishWith(errors.New("a cell died, and no checkpoint was left"))
	return &cellwall.Restored{Cells: ran, Lost: []cellwall.Notice{}}
}
