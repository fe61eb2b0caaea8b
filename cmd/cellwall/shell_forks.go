package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/session"
)

// origin is what the shell calls the session that it began with.
const origin = "origin"

// fork is one of the sessions that live beside each other.
type fork struct {
	name    string
	session *openedSession
	seen    map[int][]notebook.Output
}

// fork goes to a session of that name, and makes it of the live state where there
// is none.
func (s *shell) fork(ctx context.Context, name string) error {
	if name == "" {
		for _, f := range s.forks {
			mark := "  "
			if f.session == s.session {
				mark = "* "
			}
			s.tell(mark + f.name)
		}
		return nil
	}
	for _, f := range s.forks {
		if f.name == name {
			s.show(f)
			s.p.stderr.say(plain, "fork: ", "this is "+name)
			return nil
		}
	}
	if !session.IsBranchName(name) {
		return usage("fork session", fmt.Errorf("%.80q is no name", name), "a name has letters, digits, dots, hyphens and underscores, at most 64")
	}
	made, lost, result, err := s.session.Beside(ctx, session.Beside{})
	switch {
	case err != nil:
		return err
	case made == nil:
		return notForked(result)
	}
	f := &fork{name: name, session: &openedSession{Session: made, house: s.session.house, began: s.session.began}, seen: map[int][]notebook.Output{}}
	for number, outputs := range s.seen {
		f.seen[number] = outputs
	}
	s.forks = append(s.forks, f)
	s.show(f)
	s.p.stderr.say(green, "fork: ", name+" lives beside what it came from, in a sandbox of its own")
	s.lost(lost)
	return nil
}

// notForked is the error of a state that a fresh sandbox could not take in.
func notForked(r *cellwall.Result) error {
	why := fmt.Errorf("the fresh sandbox ended with %s (%s)", r.Status, r.Cause)
	if r.Error != nil {
		why = errors.New(observe.Terminal(r.Error.Message))
	}
	return &cellwall.Error{Code: cellwall.CodeConflict, Op: "fork session", Err: why, Hint: r.Observation.RetryHint}
}

// show makes a session the one that the next cell runs in.
func (s *shell) show(f *fork) {
	s.session, s.seen = f.session, f.seen
	s.front.Store(f.session)
	s.saved = map[string]bool{} // what holds another session is not to be overwritten
}

// label is what the prompt says of where the next cell runs.
func (s *shell) label(info session.Info) string {
	for _, f := range s.forks {
		switch {
		case f.session != s.session || f.name == origin:
		case info.Branch == session.Main:
			return f.name
		default:
			return f.name + "/" + info.Branch
		}
	}
	return info.Branch
}
