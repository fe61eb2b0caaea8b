package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/store"
)

// keptApprovals keep what waits for a person. Each step has a record of who did it, and
// an event.
type keptApprovals struct {
	*store.Store
	ledger *ledger
	bus    *notify.Bus
}

var _ api.Approvals = keptApprovals{}

// Ask keeps a request.
func (k keptApprovals) Ask(ctx context.Context, a cellwall.Approval, waits *cellwall.KeptExecution, most int) error {
	return k.noted(ctx, a, "requested", "approval.requested", a.Asked, a.At, func(ctx context.Context, n store.Note) error {
		return k.Store.Ask(ctx, a, waits, most, n)
	})
}

// Decide keeps a decision.
func (k keptApprovals) Decide(ctx context.Context, a cellwall.Approval, request []byte) error {
	kind, who := "approval.decided", a.Decided
	if a.State == cellwall.ApprovalExpired {
		kind, who = "approval.expired", cellwall.Identity{Tenant: a.Asked.Tenant}
	}
	return k.noted(ctx, a, string(a.State), kind, who, a.DecidedAt, func(ctx context.Context, n store.Note) error {
		return k.Store.Decide(ctx, a, request, n)
	})
}

// noted keeps a step with its record and its event, then appends the record.
func (k keptApprovals) noted(
	ctx context.Context, a cellwall.Approval, action, kind string, who cellwall.Identity, at time.Time, keep func(context.Context, store.Note) error,
) error {
	tenant := a.Asked.Tenant
	entry := approvalNoteOf(a, action, who, at)
	if mask := k.ledger.masks(tenant); mask != nil {
		entry.Code, entry.Comment, entry.Purpose = mask(entry.Code), mask(entry.Comment), mask(entry.Purpose)
	}
	text, err := plainJSON(entry)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	told := happening(tenant, kind, approvalTold{a.ID, a.Kind, a.State, a.Execution, a.Session, a.Tool, a.Artifact})
	note := store.Note{ID: entry.ID, At: at, Entry: text, Told: []cellwall.Happening{told}}
	if err := keep(context.WithoutCancel(ctx), note); err != nil {
		return err
	}
	k.bus.Kept(tenant)
	return k.ledger.finish(tenant, note.ID, at, text)
}

// approvalNote is the record of one step.
type approvalNote struct {
	V          int                   `json:"v"`    // 1
	Kind       string                `json:"kind"` // "approval"
	ID         string                `json:"id"`
	Call       string                `json:"request_id,omitempty"`
	At         time.Time             `json:"at"`
	Identity   cellwall.Identity     `json:"identity"` // who did it; without a key: the service's own user, or the clock
	Approval   string                `json:"approval_id"`
	Action     string                `json:"action"` // requested, approved, edited, rejected, expired
	Of         cellwall.ApprovalKind `json:"of"`
	Asked      cellwall.Identity     `json:"asked_by"`
	Session    string                `json:"session_id,omitempty"`
	Execution  string                `json:"execution_id,omitempty"`
	Tool       string                `json:"tool,omitempty"`
	Artifact   string                `json:"artifact_id,omitempty"`
	Purpose    string                `json:"purpose,omitempty"`
	CodeSHA256 string                `json:"code_sha256,omitempty"`
	Code       string                `json:"code,omitempty"` // that was asked for, or that was put in its place
	Comment    string                `json:"comment,omitempty"`
}

func approvalNoteOf(a cellwall.Approval, action string, who cellwall.Identity, at time.Time) approvalNote {
	n := approvalNote{
		V: 1, Kind: "approval", ID: a.ID + "." + action, Call: a.Call, At: at.UTC(), Identity: who, Approval: a.ID, Action: action, Of: a.Kind,
		Asked: a.Asked, Session: a.Session, Execution: a.Execution, Tool: a.Tool, Artifact: a.Artifact, Purpose: a.Purpose, Comment: a.Comment,
	}
	if a.Code != "" {
		sum := sha256.Sum256([]byte(a.Code))
		n.CodeSHA256 = hex.EncodeToString(sum[:])
	}
	if action == "requested" || a.State == cellwall.ApprovalEdited {
		n.Code = a.Code
	}
	return n
}

// approvalTold is what an event says of one.
type approvalTold struct {
	ID        string                 `json:"approval_id"`
	Kind      cellwall.ApprovalKind  `json:"kind"`
	State     cellwall.ApprovalState `json:"state"`
	Execution string                 `json:"execution_id,omitempty"`
	Session   string                 `json:"session_id,omitempty"`
	Tool      string                 `json:"tool,omitempty"`
	Artifact  string                 `json:"artifact_id,omitempty"`
}

// approvals are those of this service.
func (s *service) approvals() keptApprovals { return keptApprovals{s.kept.Store, s.kept.ledger, s.bus} }

// addApprovals gives the API what waits for a person.
func (s *service) addApprovals(o *api.Options) { o.Approvals = s.approvals() }

// released fails for an artifact that may not be handed out: its tenant's terms want a
// person to approve that, and nobody has. It asks nobody.
func (s *service) released(ctx context.Context, tenant, artifact string) error {
	return api.Released(ctx, s.approvals(), s.terms(tenant), tenant, artifact)
}

// expireEvery is how often it is looked for what nobody decided in time.
const expireEvery = time.Second

// expireApprovals ends that until the service does.
func (s *service) expireApprovals(ctx context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pauseFor(ctx, expireEvery) {
			if s.gate.Open() != nil {
				continue // nothing begins now, not even an end
			}
			if err := s.api.ExpireApprovals(ctx); err != nil && ctx.Err() == nil {
				s.log.Error("end what nobody approved", "error", err)
			}
		}
	}()
	s.undo.Add(func() error { cancel(); <-done; return nil })
	return nil
}
