package session

import (
	"context"
	"slices"

	"github.com/cellwall/cellwall"
)

// Beside is how a session is branched into one that lives beside it.
type Beside struct {
	// Drop cancels a cell that runs and turns away those that wait, as
	// Session.Drop does; without it a running cell is CodeConflict.
	Drop bool
	Sink cellwall.Sink // hears what the sandbox says while it takes the state in; nil = nobody
}

// Beside opens a session with the live state of this one, in a sandbox of its own:
// variables and files together, random generators reseeded that no cell seeded.
// Both live on, know nothing of each other, and use one budget. The new one has the
// history that led here; numbers of cells go on. What could not come along – threads,
// generators, open files, connections – is returned by name.
//
// It counts as a session of its tenant, and fails as Create does; with CodeConflict
// while a cell runs. When the new sandbox could not take the state in, for want of
// memory say, there is no session, and the Result says why.
func (s *Session) Beside(ctx context.Context, b Beside) (*Session, []cellwall.Notice, *cellwall.Result, error) {
	const op = "open session beside another"
	open := s.all.opts.Beside
	if open == nil {
		return nil, nil, nil, s.cannot(op, "carry a state into another sandbox")
	}
	inside, leave, err := s.work(ctx, call{op: op, rush: true, drop: b.Drop})
	if err != nil {
		return nil, nil, nil, err
	}
	defer leave()
	tenant := s.req.Identity.Tenant
	if err := s.all.enter(tenant); err != nil {
		return nil, nil, nil, err
	}
	opened := false
	defer func() {
		if !opened {
			s.all.leave(tenant)
		}
	}()
	id := cellwall.NewID(cellwall.PrefixSession)
	live, lost, result, err := open(inside, s.live, s.req.Identity, id, b.Sink)
	if opened = err == nil && live != nil; !opened {
		return nil, nil, result, err
	}
	branch := newSession(s.all, id, s.req, s.life, live, result)
	branch.meter = s.meter
	branch.descend(s)
	return s.all.add(branch), lost, result, nil
}

// descend takes over what led to the state that the session began with.
func (s *Session) descend(from *Session) {
	from.mu.Lock()
	count, entries := from.count, from.history.list()
	from.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = count
	s.history.inherit(slices.DeleteFunc(entries, func(e Entry) bool { return !e.Live }))
}
