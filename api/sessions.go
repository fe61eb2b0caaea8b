package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerSessions() {
	if s.opts.Sessions == nil {
		return
	}
	handle(s, "createSession", s.createSession, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "listSessions", s.listSessions)
	handle(s, "getSession", s.getSession)
	handle(s, "deleteSession", s.deleteSession)
	raw(s, "createCell", s.createCell, s.documentCell)
	handle(s, "interruptSession", s.interruptSession, func(op *huma.Operation) { op.DefaultStatus = http.StatusAccepted })
	handle(s, "rollbackSession", s.rollbackSession)
	handle(s, "branchSession", s.branchSession, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "forkSession", s.forkSession, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "pauseSession", s.pauseSession)
	handle(s, "resumeSession", s.resumeSession)
	s.registerFiles()
}

// SessionPath names a session. It is exported for huma, which sees nothing else of
// what is embedded.
type SessionPath struct {
	ID string `path:"id" maxLength:"64"`
}

type (
	sessionOut struct {
		Location string `header:"Location"`
		Body     sessionView
	}
	sessionsOut struct {
		Body struct {
			Items []sessionView `json:"items"`
		}
	}
)

type createSessionIn struct {
	Language string `header:"Accept-Language" maxLength:"200"`
	Body     sessionBody
}

// createSession opens a session. One whose data could not be read is there, and
// says so in begin.
func (s *Server) createSession(ctx context.Context, in *createSessionIn) (*sessionOut, error) {
	req, files, err := s.sessionRequest(ctx, &in.Body, languageOf(in.Language))
	if err != nil {
		return nil, err
	}
	defer files.close()
	one, began, err := s.opts.Sessions.Create(ctx, req, in.Body.life())
	switch {
	case err != nil:
		return nil, err
	case one == nil:
		return nil, &cellwall.Error{
			Code: cellwall.CodeDatasetUnreadable, Op: "open session",
			Err: fmt.Errorf("reading its data ended it: %s", began.Status), Hint: began.Observation.RetryHint,
		}
	}
	callOf(ctx).ran.Store(true) // its beginning is a record of the controller's
	out := &sessionOut{Location: "/v1/sessions/" + one.State().ID, Body: viewSession(ctx, one)}
	out.Body.Begin = began
	return out, nil
}

// listSessions gives those that live, oldest first: there are never many.
func (s *Server) listSessions(ctx context.Context, _ *struct{}) (*sessionsOut, error) {
	out := &sessionsOut{}
	out.Body.Items = []sessionView{}
	for _, one := range s.opts.Sessions.List(callerOf(ctx)) {
		out.Body.Items = append(out.Body.Items, viewSession(ctx, one))
	}
	return out, nil
}

// session finds the caller's own.
func (s *Server) session(ctx context.Context, id string) (Session, error) {
	if !cellwall.ValidID(cellwall.PrefixSession, id) { // looked for all the same: it takes as long
		id = ""
	}
	one, err := s.opts.Sessions.Get(id, callerOf(ctx))
	if cellwall.CodeOf(err) == cellwall.CodeNotFound {
		return nil, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "find session", Err: errors.New("there is none of this id"),
			Hint: "it may have ended long ago: open another one",
		}
	}
	return one, err
}

func (s *Server) getSession(ctx context.Context, in *SessionPath) (*sessionOut, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &sessionOut{Body: viewSession(ctx, one)}, nil
}

func (s *Server) deleteSession(ctx context.Context, in *SessionPath) (*struct{}, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return nil, one.Close()
}
