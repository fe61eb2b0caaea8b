package native

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// Pause implements cellwall.Pauser. The processes of the cells are frozen, which
// they do not notice, and can still be killed; so are those that wait with a
// checkpoint, since a cell may have had its own go on. It fails with
// CodeProtectionMissing where the host has no groups that freeze.
func (s *session) Pause(ctx context.Context) error {
	const op = "pause session"
	leave, err := s.wait(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	if s.isPaused() {
		return nil
	}
	if s.group == nil {
		return missing(op, errors.New("this host cannot keep the session in a group"), "see cellwall doctor")
	}
	ctx, cancel := context.WithTimeout(ctx, s.backend.endTimeout)
	defer cancel()
	for _, g := range s.groups() {
		if err := g.Freeze(ctx); err != nil {
			return errors.Join(unfrozen(op, err), s.thaw())
		}
	}
	s.setPaused(true)
	return nil
}

// Resume implements cellwall.Pauser.
func (s *session) Resume(ctx context.Context) error {
	const op = "resume session"
	leave, err := s.wait(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	if !s.isPaused() {
		return nil
	}
	if err := s.thaw(); err != nil {
		return unfrozen(op, err)
	}
	s.setPaused(false)
	return nil
}

// groups are those of the session's processes, snapshots last.
func (s *session) groups() []*cgroup.Group {
	all := []*cgroup.Group{s.group}
	for _, n := range s.tree.nodes { // other cages are on their way out
		all = append(all, n.cage)
	}
	return all
}

func (s *session) thaw() (err error) {
	for _, g := range s.groups() {
		err = errors.Join(err, g.Thaw())
	}
	return err
}

// unfrozen is the answer of a host that cannot freeze, or failed to.
func unfrozen(op string, err error) error {
	var lacking *cgroup.ControllerError
	if errors.As(err, &lacking) {
		return missing(op, err, lacking.Hint)
	}
	return &cellwall.Error{Code: cellwall.CodeInternal, Op: op, Err: err}
}

// awake is the answer to what a paused session does not do.
func (s *session) awake(op string) error {
	if !s.isPaused() {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeConflict, Op: op, Err: errors.New("the session is paused"), Hint: "resume it first",
	}
}

func (s *session) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

func (s *session) setPaused(paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = paused
}
