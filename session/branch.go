package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Main is the branch on which a session begins.
const Main = "main"

// branches are the names of a session's lines of checkpoints.
type branches struct {
	live  string
	names []string          // in the order in which they came
	tips  map[string]string // name → newest checkpoint, of those that are not live
}

func newBranches() branches {
	return branches{live: Main, names: []string{Main}, tips: map[string]string{}}
}

// Branched says what Branch did.
type Branched struct {
	Branch     string // that is live now
	Checkpoint string // on which it stands
	New        bool
	Unkept     int                // cells of the branch that was left, behind its newest checkpoint: they are lost
	Restored   *cellwall.Restored // nil when the state was not changed
}

// Branch makes the branch of this name the live one. A new one begins at the
// live state; a known one is gone to as by Rollback, reseeded. It fails with
// CodeConflict while a cell runs and beyond the limit of branches, and with
// CodeNotFound when the checkpoint of the branch was dropped; the state is
// untouched then.
func (s *Session) Branch(ctx context.Context, name string) (Branched, error) {
	const op = "switch branch"
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
	from := liveOf(list)
	if from == nil {
		return Branched{}, conflict(op, errors.New("the live state has no checkpoint to branch from"), keptHint(list))
	}
	live, known, tip := s.branch(name)
	switch {
	case name == live:
		return Branched{Branch: name, Checkpoint: from.ID}, nil
	case !known:
		return s.fork(name, from)
	}
	return s.switchTo(inside, name, tip, from, list)
}

// branch looks a name up.
func (s *Session) branch(name string) (live string, known bool, tip string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.branches.live, slices.Contains(s.branches.names, name), s.branches.tips[name]
}

// fork lets the live state go on under a new name.
func (s *Session) fork(name string, from *cellwall.Checkpoint) (Branched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.branches
	if most := s.req.Limits.Checkpoints; len(b.names) >= most {
		return Branched{}, conflict("make branch", fmt.Errorf("there are %d already, as many as checkpoints", most),
			"go on with one of them: "+strings.Join(b.names, ", "))
	}
	b.tips[b.live] = from.ID
	b.names, b.live = append(b.names, name), name
	return Branched{Branch: name, Checkpoint: from.ID, New: true, Unkept: s.history.since(from.Execution)}, nil
}

// switchTo leaves the live branch at its newest checkpoint and goes to another.
func (s *Session) switchTo(ctx context.Context, name, tip string, from *cellwall.Checkpoint, list []cellwall.Checkpoint) (Branched, error) {
	if find(list, tip) == nil {
		return Branched{}, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "switch branch", Err: fmt.Errorf("the newest checkpoint of %s was dropped to make room", name),
			Hint: keptHint(list),
		}
	}
	unkept := s.since(from.Execution)
	back, err := s.goTo(ctx, list, cellwall.Return{To: tip, Reseed: true})
	if back.Checkpoint == "" { // else the state is there, be it without a record
		return Branched{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.branches.tips[s.branches.live] = from.ID
	s.branches.live = name
	return Branched{Branch: name, Checkpoint: tip, Unkept: unkept, Restored: &back}, err
}
