package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerApprovals() {
	if s.opts.Approvals == nil || s.opts.Executions == nil {
		return
	}
	handle(s, "listApprovals", s.listApprovals)
	handle(s, "getApproval", s.getApproval)
	handle(s, "approve", s.approve)
	handle(s, "editApproval", s.editApproval)
	handle(s, "reject", s.reject)
}

// approvalView is something that waits for a person, as its tenant sees it.
type approvalView struct {
	ID        string                 `json:"id"`
	Kind      cellwall.ApprovalKind  `json:"kind" enum:"execution,tool,artifact"`
	State     cellwall.ApprovalState `json:"state" enum:"waiting,approved,edited,rejected,expired"`
	AskedBy   actorView              `json:"asked_by"`
	AskedAt   time.Time              `json:"asked_at"`
	ExpiresAt time.Time              `json:"expires_at" doc:"Until when somebody may decide"`
	Session   string                 `json:"session_id,omitempty"`
	Execution string                 `json:"execution_id,omitempty" doc:"That it runs under, or that left the artifact"`
	Tool      string                 `json:"tool,omitempty"`
	Artifact  string                 `json:"artifact_id,omitempty"`
	Code      string                 `json:"code,omitempty" doc:"That runs when it is approved; edited, if it was"`
	Arguments json.RawMessage        `json:"arguments,omitempty" doc:"Of the call of a tool"`
	Purpose   string                 `json:"purpose,omitempty"`
	MayDecide bool                   `json:"may_decide" doc:"Whether the key that asks may decide: not the one on whose behalf it waits, unless it has the scope admin"`
	DecidedBy *actorView             `json:"decided_by,omitempty"`
	DecidedAt *time.Time             `json:"decided_at,omitempty"`
	Comment   string                 `json:"comment,omitempty" doc:"Of whoever decided"`
	Outcome   *ToolAnswer            `json:"outcome,omitempty" doc:"Of a tool's call that was decided, when it is there"`
}

// actorView is who did something: the key, and for whom it said it acts.
type actorView struct {
	Key     string `json:"key,omitempty" doc:"Id; left out: the service's own user, or the clock"`
	Subject string `json:"subject,omitempty"`
}

func viewApproval(ctx context.Context, a cellwall.Approval) approvalView {
	v := approvalView{
		ID: a.ID, Kind: a.Kind, State: a.State, AskedBy: actorView{a.Asked.Key, a.Asked.Subject}, AskedAt: a.At.UTC(), ExpiresAt: a.Expires.UTC(),
		Session: a.Session, Execution: a.Execution, Tool: a.Tool, Artifact: a.Artifact, Code: a.Code, Purpose: a.Purpose, Comment: a.Comment,
		MayDecide: a.State == cellwall.ApprovalWaiting && a.MayDecide(callerOf(ctx)),
	}
	if a.Kind == cellwall.ApprovalTool {
		var call ToolCall
		if json.Unmarshal(a.Request, &call) == nil { // ours; one that cannot be read has none
			v.Arguments = call.Arguments
		}
	}
	if !a.DecidedAt.IsZero() {
		v.DecidedBy, v.DecidedAt = &actorView{a.Decided.Key, a.Decided.Subject}, ptr(a.DecidedAt.UTC())
	}
	var outcome ToolAnswer
	if len(a.Outcome) > 0 && json.Unmarshal(a.Outcome, &outcome) == nil {
		v.Outcome = &outcome
	}
	return v
}

type (
	approvalsIn struct {
		PageQuery
		State string `query:"state" enum:"waiting,approved,edited,rejected,expired" doc:"Only these"`
	}
	approvalsOut struct{ Body paged[approvalView] }
	approvalIn   struct {
		ID string `path:"id" maxLength:"64"`
	}
	approvalOut struct{ Body approvalView }
)

func (s *Server) listApprovals(ctx context.Context, in *approvalsIn) (*approvalsOut, error) {
	page, err := s.pageFrom(ctx, in.PageQuery)
	if err != nil {
		return nil, err
	}
	list, next, err := s.opts.Approvals.Approvals(ctx, callerOf(ctx).Tenant, cellwall.ApprovalState(in.State), page)
	if err != nil {
		return nil, err
	}
	out := &approvalsOut{paged[approvalView]{Items: []approvalView{}, Next: s.next(ctx, next)}}
	for _, a := range list {
		out.Body.Items = append(out.Body.Items, viewApproval(ctx, a))
	}
	return out, nil
}

func (s *Server) getApproval(ctx context.Context, in *approvalIn) (*approvalOut, error) {
	a, err := s.opts.Approvals.Approval(ctx, callerOf(ctx).Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	return &approvalOut{viewApproval(ctx, a)}, nil
}
