package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// Background keeps work that outlives the call that asked for it. Package store
// has it.
type Background interface {
	// Accept keeps an execution that is not done: on disk when it returns.
	Accept(context.Context, cellwall.KeptExecution) error
	// Begin says that its code is about to be sent: from then on it is lost when the
	// service dies. False: it does not wait any more.
	Begin(ctx context.Context, tenant, id string) (mine bool, err error)
	// Take is Begin of one that waits in whichever service, to end it. False: it does
	// not wait any more.
	Take(ctx context.Context, tenant, id string) (mine bool, err error)
	// Settle ends one that came to nothing, with what is to be told of it and why it
	// was refused; it is recorded when nobody has done that.
	Settle(ctx context.Context, k cellwall.KeptExecution, refusal cellwall.ErrorCode) error
	// Adopt takes over what waits of what services that died have accepted, and
	// ends what was running: that is lost.
	Adopt(context.Context) (queued []cellwall.KeptExecution, err error)
}

// wantsAsync reports whether the caller does not wait for the end (RFC 7240).
func wantsAsync(r *http.Request) bool {
	for _, line := range r.Header.Values("Prefer") {
		for one := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}

func documentAsync(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "Prefer", In: "header", Schema: &huma.Schema{Type: "string"},
		Description: "`respond-async`: do not wait, the answer is 202 and where to ask.",
	})
}

// asked is what is kept of a request until it is done.
type asked struct {
	Body     *executionBody `json:"body,omitempty"` // of a single execution
	Cell     *cellBody      `json:"cell,omitempty"` // for its record only: it dies with its session
	Language string         `json:"language,omitempty"`
	Call     string         `json:"call,omitempty"`
	Approved bool           `json:"approved,omitempty"` // by a person
	Refused  string         `json:"refused,omitempty"`  // why a person, or the clock, said no

	Cancelled bool `json:"cancelled,omitempty"` // while it waited for one
	Over      bool `json:"over,omitempty"`      // its session is, since it waited for one
}

// Asked is what a record says of work that was left behind.
type Asked struct{ Code, Purpose, Call string }

// AskedOf reads it from the request that was kept; what cannot be read is empty.
func AskedOf(request []byte) (said Asked) {
	var a asked
	if json.Unmarshal(request, &a) != nil {
		return said
	}
	said.Call = a.Call
	switch {
	case a.Body != nil:
		said.Code, said.Purpose = a.Body.Code, a.Body.Purpose
	case a.Cell != nil:
		said.Code, said.Purpose = a.Cell.Code, a.Cell.Purpose
	}
	return said
}

// leaveBehind keeps work, answers 202, and has it done apart from the connection.
func (s *Server) leaveBehind(w http.ResponseWriter, r *http.Request, t task, k cellwall.KeptExecution, what asked) error {
	left := false
	defer func() {
		if !left {
			t.release()
		}
	}()
	if s.opts.Background == nil {
		return notThere("executions")
	}
	ctx, tenant := r.Context(), callerOf(r.Context()).Tenant
	what.Language, what.Call = language(r), callID(ctx)
	request, err := json.Marshal(what)
	if err == nil {
		k.ID, k.Identity, k.At, k.State, k.Request = t.id, callerOf(ctx), time.Now().UTC(), cellwall.WorkQueued, request
		err = s.behind.take(tenant, s.background(ctx))
	}
	if err != nil {
		return err
	}
	defer func() {
		if !left {
			s.behind.give(tenant)
		}
	}()
	if err := s.opts.Background.Accept(ctx, k); err != nil {
		return err
	}
	left = true
	s.detachExecution(context.WithoutCancel(ctx), executionOf{tenant, k.ID}, func(ctx context.Context) { s.work(ctx, k, t) })
	h := w.Header()
	h.Set("Location", "/v1/executions/"+k.ID)
	h.Set("Preference-Applied", "respond-async")
	return writeJSON(w, http.StatusAccepted, viewExecution(k))
}

// background is how many executions of the tenant may be left behind at once.
func (s *Server) background(ctx context.Context) int {
	const otherwise = 100
	terms, err := s.terms(ctx)
	if err != nil || terms.Background <= 0 {
		return otherwise
	}
	return terms.Background
}

// work does what was left behind, and keeps what came of it.
func (s *Server) work(ctx context.Context, k cellwall.KeptExecution, t task) {
	tenant := k.Identity.Tenant
	defer s.behind.give(tenant)
	defer t.release()
	events, end := s.Streams.Open(tenant, k.ID)
	defer end()
	result, err := s.ended(ctx, k, t, events.Sink)
	if err == nil && result == nil {
		return
	}
	if err != nil {
		result = s.settled(ctx, k, err)
	}
	if err := events.Done(result); err != nil {
		s.opts.Logger.Error("end a stream", "execution", k.ID, "error", err)
	}
}

// ended is what came of work that was left behind, or why nothing did. Neither: whoever
// has taken it, or the next service, ends it.
func (s *Server) ended(ctx context.Context, k cellwall.KeptExecution, t task, sink cellwall.Sink) (*cellwall.Result, error) {
	leave, err := s.behind.enter(ctx, k.Identity.Tenant)
	switch {
	case err != nil && cancelled(ctx):
		return nil, errCancelled
	case err != nil:
		return nil, nil // the service stops: it stays queued
	}
	defer leave()
	begun := false
	begin := func(ctx context.Context) error {
		err := s.begin(ctx, k)
		begun = begun || err == nil
		return err
	}
	result, err := s.patiently(ctx, func() (*cellwall.Result, error) {
		if begun { // it was refused behind that
			return s.run(ctx, t, sink, nil)
		}
		return s.run(ctx, t, sink, begin)
	})
	switch {
	case errors.Is(err, errTaken):
		return nil, nil
	case err != nil && cancelled(ctx):
		return nil, errCancelled
	case err != nil && !begun && (ctx.Err() != nil || errors.Is(err, cellwall.ErrNotSent)):
		if ctx.Err() == nil {
			s.opts.Logger.Error("begin work left behind", "execution", k.ID, "error", err)
		}
		return nil, nil // it stays queued
	}
	return result, err
}

// errTaken is of work that does not wait any more.
var errTaken = errors.New("it does not wait any more")

// begin takes work that waited, when its code is about to be sent. Whether it did must
// be known, also when the service stops meanwhile.
func (s *Server) begin(ctx context.Context, k cellwall.KeptExecution) error {
	mine, err := s.opts.Background.Begin(context.WithoutCancel(ctx), k.Identity.Tenant, k.ID)
	if err == nil && !mine {
		return errTaken
	}
	return err
}

// longest is how long work that nobody waits for is tried to begin.
const longest = time.Hour

// patiently tries again what is refused for now.
func (s *Server) patiently(ctx context.Context, run func() (*cellwall.Result, error)) (*cellwall.Result, error) {
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for {
		result, err := run()
		if err == nil || !forNow(err) {
			return result, err
		}
		timer := time.NewTimer(max(cellwall.RetryAfterOf(err), time.Second))
		select {
		case <-timer.C:
		case <-within.Done():
			timer.Stop()
			return nil, err
		}
	}
}

// forNow reports whether work was refused that may be taken later.
func forNow(err error) bool {
	switch cellwall.CodeOf(err) {
	case cellwall.CodeRateLimited, cellwall.CodeBusy, cellwall.CodeDraining, cellwall.CodeLockedDown:
		return true
	}
	return false
}

// settled keeps that work came to nothing, in the shape of a Result.
func (s *Server) settled(ctx context.Context, k cellwall.KeptExecution, err error) *cellwall.Result {
	p := s.problem(err, "")
	if p.Code == cellwall.CodeInternal && !errors.Is(err, errCancelled) {
		s.opts.Logger.Error("work left behind failed", "execution", k.ID, "error", err)
	}
	r := &cellwall.Result{
		ID: k.ID, Status: cellwall.StatusRefused, Cause: cellwall.CausePolicy,
		Error:    &cellwall.ExecutionError{Type: string(p.Code), Message: p.Detail},
		Findings: []cellwall.Finding{}, Results: []cellwall.Rich{}, Artifacts: []cellwall.Artifact{},
		SkippedArtifacts: []cellwall.SkippedArtifact{}, Warnings: []string{},
		Boundary:    cellwall.Boundary{Network: "none", Degraded: []string{}},
		Observation: cellwall.Observation{Status: cellwall.StatusRefused, ErrorType: string(p.Code), ErrorMessage: p.Detail, RetryHint: p.Hint},
	}
	switch {
	case errors.Is(err, errCancelled):
		r.Status, r.Cause, r.Error = cellwall.StatusCancelled, cellwall.CauseCancelled, nil
		r.Observation = cellwall.Observation{
			Status: cellwall.StatusCancelled, ErrorType: string(cellwall.StatusCancelled), ErrorMessage: "it was cancelled before it began",
			RetryHint: "The run was cancelled by its caller. Run it again only when it is still wanted.",
		}
	case errors.Is(err, cellwall.ErrSessionOver):
		r.Cause = cellwall.CauseSession
	case p.Code == cellwall.CodeInternal:
		r.Status, r.Cause = cellwall.StatusInternalError, cellwall.CauseInternal
		r.Observation.Status = cellwall.StatusInternalError
	}
	if k.Session != "" {
		r.SessionID = &k.Session
	}
	k.State, k.Status = cellwall.WorkDone, r.Status
	if k.Result, err = json.Marshal(r); err == nil {
		err = s.opts.Background.Settle(context.WithoutCancel(ctx), k, p.Code)
	}
	if err != nil {
		s.opts.Logger.Error("keep work that came to nothing", "execution", k.ID, "error", err)
	}
	return r
}

// Resume takes up what a service that died has left behind. Call it once, when
// everything stands.
func (s *Server) Resume(ctx context.Context) error {
	if s.opts.Background == nil {
		return nil
	}
	queued, err := s.opts.Background.Adopt(ctx)
	if err != nil {
		return fmt.Errorf("take up what was left behind: %w", err)
	}
	if err := s.resumeDecided(ctx); err != nil {
		return err
	}
	for _, k := range queued {
		s.behind.adopt(k.Identity.Tenant)
		s.detachExecution(context.WithoutCancel(ctx), executionOf{k.Identity.Tenant, k.ID}, func(ctx context.Context) { s.work(ctx, k, s.again(k, true)) })
	}
	return nil
}

// again is the task of a request that was kept; adopted when by a service that died.
func (s *Server) again(k cellwall.KeptExecution, adopted bool) task {
	var files executionInput
	return task{k.ID, func(ctx context.Context, sink cellwall.Sink, before begin) (*cellwall.Result, error) {
		var a asked
		if err := json.Unmarshal(k.Request, &a); err != nil {
			return nil, fmt.Errorf("read kept request: %w", err)
		}
		if a.Cancelled {
			return nil, errCancelled
		}
		if a.Over {
			return nil, sessionOver("it ended while this waited for a person")
		}
		if a.Refused != "" {
			return nil, &cellwall.Error{Code: cellwall.CodeForbidden, Op: "run code", Err: errors.New(a.Refused)}
		}
		ctx = context.WithValue(ctx, callKey{}, &call{id: a.Call, who: k.Identity, reserved: k.ID})
		if a.Body == nil {
			if adopted {
				return nil, sessionOver("it ended with the service that kept it")
			}
			return s.cellAgain(ctx, k, a, sink, before)
		}
		files.body = *a.Body
		defer files.close()
		if err := s.openDatasets(ctx, &files); err != nil {
			return nil, err
		}
		req, err := s.requestOf(ctx, &files, a.Language)
		if err != nil {
			return nil, err
		}
		req.Approved, req.Begin = a.Approved, before
		return s.opts.Work.Stream(ctx, req, sink)
	}, func() {}}
}

// cellAgain runs a cell that was kept, if its session still lives.
func (s *Server) cellAgain(ctx context.Context, k cellwall.KeptExecution, a asked, sink cellwall.Sink, before begin) (*cellwall.Result, error) {
	if s.opts.Sessions == nil || a.Cell == nil {
		return nil, sessionOver("there are none here")
	}
	one, err := s.opts.Sessions.Get(k.Session, k.Identity)
	switch {
	case cellwall.CodeOf(err) == cellwall.CodeNotFound:
		return nil, sessionOver("it ended long ago, or with the service that kept it")
	case err != nil:
		return nil, err
	}
	cell := a.Cell.cell(ctx, k.ID, a.Language)
	cell.Approved, cell.Begin = a.Approved, before
	if cell.Functions, err = s.functions(a.Cell.Callable, a.Language); err != nil {
		return nil, err
	}
	return one.Cell(ctx, cell, sink)
}

// sessionOver is the error of a cell whose session is not there any more.
func sessionOver(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeConflict, Op: "run cell", Err: fmt.Errorf("%w: %s", cellwall.ErrSessionOver, why), Hint: "open another session, and send it there",
	}
}
