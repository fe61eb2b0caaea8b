package native

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// Checkpoints implements cellwall.Checkpointer.
func (s *session) Checkpoints(ctx context.Context) ([]cellwall.Checkpoint, error) {
	leave, err := s.enter(ctx, "list checkpoints")
	if err != nil {
		return nil, err
	}
	defer leave()
	s.prune()
	list := make([]cellwall.Checkpoint, 0, len(s.tree.nodes))
	for _, n := range s.tree.nodes {
		c := cellwall.Checkpoint{
			ID: n.id, Execution: n.execution, At: n.at,
			Bytes: n.bytes + n.files.bytes, FileBytes: n.files.bytes, Live: n == s.tree.live, Files: n.files.ok,
		}
		if n.parent != nil {
			c.Parent = n.parent.id
		}
		list = append(list, c)
	}
	return list, nil
}

// Rollback implements cellwall.Checkpointer.
func (s *session) Rollback(ctx context.Context, to cellwall.Return) (cellwall.Restored, error) {
	const op = "roll back session"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return cellwall.Restored{}, err
	}
	defer leave()
	s.prune()
	n, err := s.target(to.To)
	if err != nil {
		return cellwall.Restored{}, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: op, Err: fmt.Errorf("%w; %s", err, s.tree.kept()),
		}
	}
	cells := s.count
	if common := fork(n, s.tree.live); common != nil {
		cells -= common.count
	}
	back, err := s.goTo(n, to.Reseed)
	if err != nil {
		return cellwall.Restored{}, fmt.Errorf("%s: %w", op, err)
	}
	back.Cells = cells
	return back, nil
}

// target is the checkpoint that a caller means: of that id, or the newest that is
// not the live state itself.
func (s *session) target(id string) (*node, error) {
	if id != "" {
		if n := s.tree.find(id); n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("there is no checkpoint %q", clip(id))
	}
	n := s.tree.live
	if n != nil && n.count == s.count {
		n = n.parent
	}
	if n == nil {
		return nil, errors.New("there is no checkpoint before the live state")
	}
	return n, nil
}

// goTo makes the state of a checkpoint the live one, files and variables
// together. The caller has the turn and runs no cell. Unless the snapshot has
// done its part the live state is left as it is.
func (s *session) goTo(n *node, reseed bool) (cellwall.Restored, error) {
	b := s.bear(n, reseed)
	<-b.done
	err := b.err
	if err == nil {
		err = s.empty()
	}
	if err != nil {
		s.abort(b)
		return cellwall.Restored{}, err
	}
	ok, lost := s.restoreFiles(n) // nobody runs who could write to them
	if err := s.settleIn(b); err != nil {
		return cellwall.Restored{}, err
	}
	return cellwall.Restored{Checkpoint: n.id, Files: ok, Lost: append(b.lost, lost...)}, nil
}
