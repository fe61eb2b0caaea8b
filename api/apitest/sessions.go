package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/store"
)

// sessions are those of the room, each with its tools in the store.
type sessions struct {
	all   *session.Sessions
	store *store.Store
}

var _ api.Sessions = sessions{}

// opening is how the room has a session opened.
func opening(c *controller.Controller, kept *store.Store) session.Options {
	return session.Options{
		Ended: func(one *session.Session, _ string) {
			told := cellwall.Happening{Tenant: one.Info().Identity.Tenant, Kind: "session.ended", Data: json.RawMessage("{}")}
			_ = kept.EndSession(context.Background(), told.Tenant, one.ID(), false, told) // at the end of a test the store is away
		},
		Open: func(ctx context.Context, req cellwall.Request, id string, sink cellwall.Sink) (session.Live, *cellwall.Result, error) {
			opened, result, err := c.Open(ctx, req, controller.Session{ID: id, Sink: sink})
			if opened == nil { // a nil pointer in the interface would be a session
				return nil, result, err
			}
			return opened, result, err
		},
	}
}

func (s sessions) Create(ctx context.Context, req cellwall.Request, life api.SessionLife) (api.Session, *cellwall.Result, error) {
	one, began, err := s.all.CreateFor(ctx, req, session.Life{Idle: life.Idle, Total: life.Total}, nil)
	if err != nil || one == nil {
		return nil, began, err
	}
	plan := []string{}
	for _, in := range req.Datasets {
		plan = append(plan, in.Dataset)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	err = s.store.OpenSession(ctx, store.LiveSession{
		Tenant: req.Identity.Tenant, ID: one.ID(), At: now, Tools: text, ToolsUntil: now.Add(time.Hour),
	}, cellwall.Happening{Tenant: req.Identity.Tenant, Kind: "session.opened", Data: json.RawMessage("{}")})
	return live{one, s, req.Identity.Tenant}, began, err
}

func (s sessions) Get(id string, who cellwall.Identity) (api.Session, error) {
	one, err := s.all.Get(id, who)
	if err != nil {
		return nil, err
	}
	return live{one, s, who.Tenant}, nil
}

func (s sessions) List(who cellwall.Identity) (list []api.Session) {
	for _, one := range s.all.List(who) {
		list = append(list, live{one, s, who.Tenant})
	}
	return list
}

// live is one of them. What is not here is the room's own.
type live struct {
	*session.Session
	all    sessions
	tenant string
}

func (l live) State() api.SessionState {
	i, spent := l.Info(), l.Spent()
	st := api.SessionState{
		ID: i.ID, Environment: i.Environment, Backend: i.Backend, Limits: i.Limits, State: string(i.State), Waiting: i.Waiting, Cells: i.Cells,
		Branch: i.Branch, Branches: i.Branches, Began: i.Began, Expires: i.Expires, Budget: i.Budget, Used: i.Used,
		CPUMS: float64(spent.Cells.Microseconds()) / 1000,
	}
	if spent.Measured {
		ms := float64(spent.Between.Microseconds()) / 1000
		st.BetweenCPUMS = &ms
	}
	return st
}

func (l live) Checkpoints(ctx context.Context) []cellwall.Checkpoint {
	if l.Info().State != session.Ready {
		return nil // they wait for the end of what runs
	}
	list, err := l.Session.Checkpoints(ctx)
	if err != nil {
		return nil // those that are known now: none
	}
	return list
}

func (l live) Cell(ctx context.Context, c api.SessionCell, sink cellwall.Sink) (*cellwall.Result, error) {
	return l.Session.Cell(ctx, session.Cell{
		ID: c.ID, Trace: c.Trace, Subject: c.Subject, Metadata: c.Metadata, Code: c.Code, Purpose: c.Purpose, ExpectedArtifacts: c.ExpectedArtifacts,
		Timeout: c.Timeout, KeepFiles: c.KeepFiles, TokenCost: c.TokenCost, Language: c.Language, AttemptsLeft: c.AttemptsLeft, Approved: c.Approved,
		Begin: c.Begin,
	}, sink)
}

func (l live) Rollback(ctx context.Context, to cellwall.Return, drop bool) (cellwall.Restored, error) {
	if drop {
		return l.Drop(ctx, to)
	}
	return l.Session.Rollback(ctx, to)
}

func (l live) Branch(ctx context.Context, name, from string) (api.SessionBranch, error) {
	branch := l.Session.Branch
	if from != "" {
		branch = func(ctx context.Context, name string) (session.Branched, error) { return l.BranchFrom(ctx, name, from) }
	}
	made, err := branch(ctx, name)
	return api.SessionBranch{Branch: made.Branch, Checkpoint: made.Checkpoint, New: made.New, Unkept: made.Unkept, Restored: made.Restored}, err
}

// Fork is tested where the binary wires it.
func (l live) Fork(context.Context, bool) (api.Session, []cellwall.Notice, *cellwall.Result, error) {
	return nil, nil, nil, fmt.Errorf("fork session %s: this house cannot", l.ID())
}

func (l live) Files(ctx context.Context) (list []api.SessionFile, more bool, err error) {
	files, more, err := l.Session.Files(ctx)
	for _, f := range files {
		list = append(list, api.SessionFile{Name: f.Name, Bytes: f.Bytes, Modified: f.Modified, Folder: f.Mode.IsDir(), Plain: f.Mode.IsRegular()})
	}
	return list, more, err
}

// Close ends the tools with their session.
func (l live) Close() error {
	err := l.all.store.DropToolbox(context.Background(), l.tenant, l.ID())
	if cellwall.CodeOf(err) == cellwall.CodeNotFound {
		err = nil // somebody else has
	}
	if err != nil {
		return err
	}
	return l.Session.Close()
}
