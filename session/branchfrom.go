package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// BranchFrom makes a new branch that begins at a kept checkpoint the live one:
// Rollback and Branch in one turn, reseeded, so that two branches of one
// checkpoint differ. It fails as they do, with the state untouched.
func (s *Session) BranchFrom(ctx context.Context, name, from string) (Branched, error) {
	const op = "make branch"
	if !IsBranchName(name) {
		return Branched{}, badBranch(op, name)
	}
	inside, leave, err := s.work(ctx, call{op: op, rush: true})
	if err != nil {
		return Branched{}, err
	}
	defer leave()
	list, err := s.checkpoints(inside, op)
	if err != nil {
		return Branched{}, err
	}
	live := liveOf(list)
	if live == nil {
		return Branched{}, conflict(op, errors.New("the live state has no checkpoint to come back to"), keptHint(list))
	}
	if err := s.roomForBranch(op, name); err != nil {
		return Branched{}, err
	}
	unkept := s.since(live.Execution)
	back, err := s.goTo(inside, list, cellwall.Return{To: from, Reseed: true})
	if back.Checkpoint == "" { // else the state is there, be it without a record
		return Branched{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.branches
	b.tips[b.live] = live.ID
	b.names, b.live = append(b.names, name), name
	return Branched{Branch: name, Checkpoint: from, New: true, Unkept: unkept, Restored: &back}, err
}

// roomForBranch fails when there is one of this name, or no room for another.
func (s *Session) roomForBranch(op, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, most := s.branches.names, s.req.Limits.Checkpoints
	switch {
	case slices.Contains(names, name):
		return conflict(op, fmt.Errorf("there is a branch %s already", name), "go to it without from, or choose another name")
	case len(names) >= most:
		return conflict(op, fmt.Errorf("there are %d already, as many as checkpoints", most), "go on with one of them: "+strings.Join(names, ", "))
	}
	return nil
}

func badBranch(op, name string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: op, Err: fmt.Errorf("%.80q is no name", name),
		Hint: "a name has letters, digits, dots, hyphens and underscores, at most 64",
	}
}
