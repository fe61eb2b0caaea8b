package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// decided keeps a decision and has done what follows from it, apart from the call.
func (s *Server) decided(ctx context.Context, a cellwall.Approval) error {
	var request []byte
	if a.Kind == cellwall.ApprovalExecution {
		if err := mark(&a, func(was *asked) { was.Approved, was.Refused = a.State.Passed(), refusalBy(a) }); err != nil {
			return err
		}
		request = a.Request
	}
	err := s.opts.Approvals.Decide(ctx, a, request)
	if err != nil { // it may be kept all the same, with its record still on the way to the log
		now, lost := s.opts.Approvals.Approval(context.WithoutCancel(ctx), a.Asked.Tenant, a.ID)
		if lost != nil || now.State != a.State || !now.DecidedAt.Equal(a.DecidedAt.Truncate(time.Microsecond)) {
			return err
		}
	}
	return errors.Join(err, s.follow(context.WithoutCancel(ctx), a))
}

// mark writes into the request that waits.
func mark(a *cellwall.Approval, with func(*asked)) error {
	var was asked
	err := json.Unmarshal(a.Request, &was)
	if err == nil {
		with(&was)
		a.Request, err = json.Marshal(was)
	}
	if err != nil {
		return fmt.Errorf("read kept request: %w", err)
	}
	return nil
}

// refusalBy is why what was asked for does not happen; "" when it does.
func refusalBy(a cellwall.Approval) string {
	switch a.State {
	case cellwall.ApprovalRejected:
		if a.Comment != "" {
			return "a person has said no: " + a.Comment
		}
		return "a person has said no"
	case cellwall.ApprovalExpired:
		return "nobody has approved it in time"
	}
	return ""
}

// follow does what a decision asks for.
func (s *Server) follow(ctx context.Context, a cellwall.Approval) error {
	switch a.Kind {
	case cellwall.ApprovalExecution:
		k, err := s.opts.Executions.Execution(ctx, a.Asked.Tenant, a.Execution)
		if err != nil {
			return err
		}
		s.behind.adopt(a.Asked.Tenant)
		s.detachExecution(ctx, executionOf{a.Asked.Tenant, k.ID}, func(ctx context.Context) { s.work(ctx, k, s.again(k, false)) })
	case cellwall.ApprovalTool:
		s.detach(ctx, func(ctx context.Context) { s.callDecided(ctx, a) })
	}
	return nil
}

// callDecided makes the call of a tool that a person has decided, and keeps what came
// of it. A service that stops leaves it to the next one.
func (s *Server) callDecided(ctx context.Context, a cellwall.Approval) {
	var answer ToolAnswer
	try := func() (err error) {
		answer, err = s.opts.Toolboxes.Decided(ctx, a)
		return err
	}
	err := s.caught(a.ID, try)
	for err != nil && forNow(err) && ctx.Err() == nil {
		timer := time.NewTimer(max(cellwall.RetryAfterOf(err), time.Second))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		err = s.caught(a.ID, try)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p := s.problem(err, "")
		if p.Code == cellwall.CodeInternal {
			s.opts.Logger.Error("make a call that was approved", "approval", a.ID, "error", err)
		}
		answer = ToolAnswer{Session: a.Session, Tool: a.Tool, Stage: "stuck", Offered: []string{}}
		answer.Observation, _ = json.Marshal(map[string]any{"ok": false, "error": p.Detail, "hint": p.Hint}) // texts always encode
	}
	if a.Outcome, err = json.Marshal(answer); err == nil {
		err = s.opts.Approvals.Done(context.WithoutCancel(ctx), a)
	}
	if err != nil {
		s.opts.Logger.Error("keep what came of an approved call", "approval", a.ID, "error", err)
	}
}

// resumeDecided does what services that died have decided.
func (s *Server) resumeDecided(ctx context.Context) error {
	if s.opts.Approvals == nil || s.opts.Toolboxes == nil {
		return nil
	}
	undone, err := s.opts.Approvals.Undone(ctx)
	if err != nil {
		return fmt.Errorf("take up what was decided: %w", err)
	}
	for _, a := range undone {
		s.detach(context.WithoutCancel(ctx), func(ctx context.Context) { s.callDecided(ctx, a) })
	}
	return nil
}

// ExpireApprovals ends what nobody decided in time, and what has no session any more to
// run in.
func (s *Server) ExpireApprovals(ctx context.Context) error {
	if s.opts.Approvals == nil {
		return nil
	}
	overdue, err := s.opts.Approvals.Overdue(ctx)
	for _, a := range overdue {
		a.State, a.DecidedAt = cellwall.ApprovalExpired, time.Now().UTC()
		var one error
		if a.DecidedAt.Before(a.Expires) {
			a.Comment = "its session is over"
			one = mark(&a, func(was *asked) { was.Over = true })
		}
		if one == nil {
			one = s.decided(ctx, a)
		}
		if one != nil && cellwall.CodeOf(one) != cellwall.CodeConflict {
			err = errors.Join(err, one)
		}
	}
	return err
}
