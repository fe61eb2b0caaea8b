package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/session"
)

// servedSessions are the sessions of a house as the API calls them.
type servedSessions struct {
	all  *session.Sessions
	seen sync.Map // id → []cellwall.Checkpoint, as they were when somebody last looked
}

var _ api.Sessions = (*servedSessions)(nil)

func (s *servedSessions) Create(
	ctx context.Context, req cellwall.Request, life api.SessionLife,
) (api.Session, *cellwall.Result, error) {
	one, began, err := s.all.CreateFor(ctx, req, session.Life{Idle: life.Idle, Total: life.Total}, nil)
	if err != nil || one == nil {
		return nil, began, err
	}
	return &servedSession{one, s}, began, nil
}

func (s *servedSessions) Get(id string, who cellwall.Identity) (api.Session, error) {
	one, err := s.all.Get(id, who)
	if err != nil {
		return nil, err
	}
	return &servedSession{one, s}, nil
}

func (s *servedSessions) List(who cellwall.Identity) (list []api.Session) {
	for _, one := range s.all.List(who) {
		list = append(list, &servedSession{one, s})
	}
	return list
}

// servedSession is one of them. Put, Remove, Open, Interrupt, Pause, Resume and
// Close are the room's own.
type servedSession struct {
	*session.Session
	all *servedSessions
}

func (s *servedSession) State() api.SessionState {
	i, spent := s.Info(), s.Spent()
	return api.SessionState{
		ID: i.ID, Environment: i.Environment, Backend: i.Backend, Limits: i.Limits, State: string(i.State),
		Waiting: i.Waiting, Cells: i.Cells, Branch: i.Branch, Branches: i.Branches,
		Began: i.Began, Expires: i.Expires, Budget: i.Budget, Used: i.Used,
		CPUMS: milliseconds(spent.Cells), BetweenCPUMS: betweenMS(spent),
	}
}

// checkpointPatience is how long somebody who only looks waits for the turn.
const checkpointPatience = 250 * time.Millisecond

// Checkpoints are those of now, or of the last look while a cell runs or the
// session is paused.
func (s *servedSession) Checkpoints(ctx context.Context) []cellwall.Checkpoint {
	if s.Info().State == session.Ready {
		within, cancel := context.WithTimeout(ctx, checkpointPatience)
		defer cancel()
		if list, err := s.Session.Checkpoints(within); err == nil {
			s.all.seen.Store(s.ID(), list)
			return list
		}
	}
	list, _ := s.all.seen.Load(s.ID())
	known, _ := list.([]cellwall.Checkpoint)
	return known
}

func (s *servedSession) Cell(ctx context.Context, c api.SessionCell, sink cellwall.Sink) (*cellwall.Result, error) {
	return s.Session.Cell(ctx, session.Cell{
		ID: c.ID, Trace: c.Trace, Subject: c.Subject, Metadata: c.Metadata, Code: c.Code, Purpose: c.Purpose,
		ExpectedArtifacts: c.ExpectedArtifacts, Timeout: c.Timeout, KeepFiles: c.KeepFiles, TokenCost: c.TokenCost,
		Language: c.Language, AttemptsLeft: c.AttemptsLeft, Approved: c.Approved, Functions: c.Functions, Begin: c.Begin,
	}, sink)
}

func (s *servedSession) Rollback(ctx context.Context, to cellwall.Return, drop bool) (cellwall.Restored, error) {
	if drop {
		return s.Drop(ctx, to)
	}
	return s.Session.Rollback(ctx, to)
}

func (s *servedSession) Branch(ctx context.Context, name, from string) (api.SessionBranch, error) {
	branches := s.Info().Branches
	for n := len(branches) + 1; name == ""; n++ {
		if fresh := fmt.Sprintf("branch-%d", n); !slices.Contains(branches, fresh) {
			name = fresh
		}
	}
	branch := s.Session.Branch
	if from != "" {
		branch = func(ctx context.Context, name string) (session.Branched, error) { return s.BranchFrom(ctx, name, from) }
	}
	made, err := branch(ctx, name)
	if err != nil {
		return api.SessionBranch{}, err
	}
	return api.SessionBranch{
		Branch: made.Branch, Checkpoint: made.Checkpoint, New: made.New, Unkept: made.Unkept, Restored: made.Restored,
	}, nil
}

func (s *servedSession) Fork(ctx context.Context, drop bool) (api.Session, []cellwall.Notice, *cellwall.Result, error) {
	made, lost, result, err := s.Beside(ctx, session.Beside{Drop: drop})
	if err != nil || made == nil {
		return nil, nil, result, err
	}
	return &servedSession{made, s.all}, lost, result, nil
}

func (s *servedSession) Files(ctx context.Context) (list []api.SessionFile, more bool, err error) {
	files, more, err := s.Session.Files(ctx)
	for _, f := range files {
		list = append(list, api.SessionFile{
			Name: f.Name, Bytes: f.Bytes, Modified: f.Modified, Folder: f.Mode.IsDir(), Plain: f.Mode.IsRegular(),
		})
	}
	return list, more, err
}

// sessionTerms makes sessions what each tenant's terms say.
func sessionTerms(o *session.Options, tenant func(id string) (cellwall.Tenant, error)) {
	terms := func(id string) cellwall.Terms {
		t, err := tenant(id)
		if err != nil {
			return cellwall.Terms{} // whoever is not known any more gets what everybody has
		}
		return t.Terms
	}
	o.Most = func(id string) int { return terms(id).Sessions }
	o.Meter = func(who cellwall.Identity) session.Meter { return quota.NewMeter(terms(who.Tenant).SessionBudget) }
}

// addSessions gives the API the house's sessions.
func (s *service) addSessions(o *api.Options) { o.Sessions = &servedSessions{all: s.house.sessions} }

// tenant returns whom an id stands for.
func (s *service) tenant(id string) (cellwall.Tenant, error) { return s.desk.Tenant(id) }
