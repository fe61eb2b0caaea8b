package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Checkpoints lists what the session can go back to, oldest first. It waits for
// its turn.
func (s *Session) Checkpoints(ctx context.Context) ([]cellwall.Checkpoint, error) {
	inside, leave, err := s.work(ctx, call{op: "list checkpoints"})
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.checkpoints(inside, "list checkpoints")
}

// checkpoints lists them from inside a turn.
func (s *Session) checkpoints(ctx context.Context, op string) ([]cellwall.Checkpoint, error) {
	keeper, ok := s.live.Interpreter().(cellwall.Checkpointer)
	if !ok {
		return nil, s.cannot(op, "keep checkpoints")
	}
	list, err := keeper.Checkpoints(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return list, nil
}

// cannot says that the session's backend lacks something.
func (s *Session) cannot(op, what string) error {
	return &cellwall.Error{
		Code: cellwall.CodeProtectionMissing, Op: op, Err: fmt.Errorf("this backend cannot %s", what),
		Hint: "open the session with another backend",
	}
}

// Rollback makes the state of a kept checkpoint the live one. It fails with
// CodeConflict while a cell runs, and with CodeNotFound for an unknown one; the
// state is untouched then.
func (s *Session) Rollback(ctx context.Context, to cellwall.Return) (cellwall.Restored, error) {
	return s.rollback(ctx, call{op: "roll back session", rush: true}, to)
}

// Drop is Rollback that does not fail while a cell runs: that one is cancelled,
// and those that wait are turned away with CodeConflict.
func (s *Session) Drop(ctx context.Context, to cellwall.Return) (cellwall.Restored, error) {
	return s.rollback(ctx, call{op: "roll back session", drop: true}, to)
}

func (s *Session) rollback(ctx context.Context, c call, to cellwall.Return) (cellwall.Restored, error) {
	return s.back(ctx, c, func([]cellwall.Checkpoint) (cellwall.Return, error) { return to, nil })
}

// Undo goes back behind the latest cell that the live state grew from: to the
// newest checkpoint before it. It fails with CodeConflict when there is none.
func (s *Session) Undo(ctx context.Context) (cellwall.Restored, error) {
	return s.back(ctx, call{op: "undo cell", rush: true}, s.beforeLatest)
}

// back waits for its turn and goes to the checkpoint that choose takes.
func (s *Session) back(
	ctx context.Context, c call, choose func([]cellwall.Checkpoint) (cellwall.Return, error),
) (cellwall.Restored, error) {
	inside, leave, err := s.work(ctx, c)
	if err != nil {
		return cellwall.Restored{}, err
	}
	defer leave()
	list, err := s.checkpoints(inside, c.op)
	if err != nil {
		return cellwall.Restored{}, err
	}
	to, err := choose(list)
	if err != nil {
		return cellwall.Restored{}, err
	}
	return s.goTo(inside, list, to)
}

// beforeLatest is where Undo goes.
func (s *Session) beforeLatest(list []cellwall.Checkpoint) (cellwall.Return, error) {
	const op = "undo cell"
	live := liveOf(list)
	if live == nil {
		return cellwall.Return{}, conflict(op, errors.New("there is no checkpoint"), keptHint(list))
	}
	to := live.ID
	if s.since(live.Execution) == 0 { // the live state is this one: undo means the one before
		to = live.Parent
	}
	if to == "" {
		return cellwall.Return{}, conflict(op, errors.New("nothing is left to undo"), keptHint(list))
	}
	return cellwall.Return{To: to}, nil
}

// goTo rolls back and has the history follow.
func (s *Session) goTo(ctx context.Context, list []cellwall.Checkpoint, to cellwall.Return) (cellwall.Restored, error) {
	if to.To != "" && find(list, to.To) == nil {
		return cellwall.Restored{}, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "roll back session", Err: fmt.Errorf("there is no checkpoint %.40q", to.To), Hint: keptHint(list),
		}
	}
	back, err := s.live.Rollback(ctx, to)
	if errors.Is(err, cellwall.ErrSessionOver) {
		s.end(endDied)
	}
	if c := find(list, back.Checkpoint); c != nil { // also when it could not be recorded
		s.mu.Lock()
		s.history.back(c.Execution)
		s.mu.Unlock()
	}
	return back, err
}

// since counts the cells of the live line that ran after an execution.
func (s *Session) since(execution string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.since(execution)
}

func find(list []cellwall.Checkpoint, id string) *cellwall.Checkpoint {
	if at := slices.IndexFunc(list, func(c cellwall.Checkpoint) bool { return c.ID == id }); at >= 0 {
		return &list[at]
	}
	return nil
}

func liveOf(list []cellwall.Checkpoint) *cellwall.Checkpoint {
	if at := slices.IndexFunc(list, func(c cellwall.Checkpoint) bool { return c.Live }); at >= 0 {
		return &list[at]
	}
	return nil
}

// keptHint names what can be gone back to.
func keptHint(list []cellwall.Checkpoint) string {
	if len(list) == 0 {
		return "no checkpoint is kept"
	}
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return "kept are " + strings.Join(ids, ", ")
}
