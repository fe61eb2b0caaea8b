package api

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// release reports whether an artifact may be handed out to the caller: nil when it may,
// else the approval that it waits for. The first who asks has a person asked. What a
// person has refused is CodeForbidden.
func (s *Server) release(ctx context.Context, kept cellwall.KeptArtifact) (*cellwall.Approval, error) {
	who := callerOf(ctx)
	terms, err := s.terms(ctx)
	if err != nil || !terms.Approval.Artifacts {
		return nil, err
	}
	if s.opts.Approvals == nil {
		return nil, errWithheld
	}
	a, err := s.opts.Approvals.ApprovalOf(ctx, who.Tenant, cellwall.ApprovalArtifact, kept.ID)
	switch {
	case err != nil && cellwall.CodeOf(err) != cellwall.CodeNotFound:
		return nil, err
	case err == nil && a.State.Passed():
		return nil, nil
	case err == nil && a.State == cellwall.ApprovalRejected:
		return nil, &cellwall.Error{Code: cellwall.CodeForbidden, Op: "open artifact", Err: errors.New(refusalBy(a))}
	case err == nil && a.State == cellwall.ApprovalWaiting:
		return &a, nil
	}
	now := time.Now().UTC()
	a = cellwall.Approval{
		ID: cellwall.NewID(cellwall.PrefixApproval), Kind: cellwall.ApprovalArtifact, State: cellwall.ApprovalWaiting, Asked: who, At: now,
		Expires: now.Add(cmp.Or(terms.Approval.Expires, approvalLife)), Execution: kept.Execution, Artifact: kept.ID,
		Purpose: kept.Name, Call: callID(ctx),
	}
	return &a, s.opts.Approvals.Ask(ctx, a, nil, s.background(ctx))
}

// released reports whether an artifact was approved, where its tenant wants that; it
// asks nobody.
func (s *Server) released(ctx context.Context, tenant string, kept cellwall.KeptArtifact) error {
	t, err := s.opts.Keys.Tenant(tenant)
	if err != nil {
		return err
	}
	return Released(ctx, s.opts.Approvals, t.Terms, tenant, kept.ID)
}

// Released fails with CodeForbidden for an artifact that may not be handed out: its
// tenant's terms want a person to approve that, and nobody has. It asks nobody. Where
// asked is nil nobody can have.
func Released(ctx context.Context, asked Approvals, terms cellwall.Terms, tenant, artifact string) error {
	if !terms.Approval.Artifacts {
		return nil
	}
	if asked != nil {
		if a, err := asked.ApprovalOf(ctx, tenant, cellwall.ApprovalArtifact, artifact); err == nil && a.State.Passed() {
			return nil
		}
	}
	return errWithheld
}

var errWithheld error = &cellwall.Error{
	Code: cellwall.CodeForbidden, Op: "open artifact", Err: errors.New("a person has to approve that it is handed out"),
	Hint: "ask for it with GET /v1/artifacts/{id}",
}
