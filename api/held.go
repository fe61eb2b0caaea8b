package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// approvalLife is how long something waits for a person unless the terms say so.
const approvalLife = 24 * time.Hour

// held reports whether code of the caller's waits for a person.
func (s *Server) held(ctx context.Context) bool {
	terms, err := s.terms(ctx)
	return err == nil && terms.Approval.Executions && s.opts.Approvals != nil // without these rooms the admission refuses
}

// hold keeps code for a person, and answers 202.
func (s *Server) hold(w http.ResponseWriter, r *http.Request, k cellwall.KeptExecution, what asked, code, purpose string) error {
	ctx := r.Context()
	terms, err := s.terms(ctx)
	if err != nil {
		return err
	}
	what.Language, what.Call = language(r), callID(ctx)
	request, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("keep request: %w", err)
	}
	now := time.Now().UTC()
	k.ID = newID(ctx, cellwall.PrefixExecution)
	k.Identity, k.At, k.State, k.Request = callerOf(ctx), now, cellwall.WorkWaiting, request
	a := cellwall.Approval{
		ID: newID(ctx, cellwall.PrefixApproval), Kind: cellwall.ApprovalExecution, State: cellwall.ApprovalWaiting, Asked: k.Identity, At: now,
		Expires: now.Add(cmp.Or(terms.Approval.Expires, approvalLife)), Session: k.Session, Execution: k.ID, Code: code, Purpose: purpose,
		Request: request, Call: what.Call,
	}
	if err := s.opts.Approvals.Ask(ctx, a, &k, s.background(ctx)); err != nil {
		return err
	}
	callOf(ctx).ran.Store(true) // it has a record of its own
	view := viewExecution(k)
	view.Approval = a.ID
	w.Header().Set("Location", "/v1/executions/"+k.ID)
	return writeJSON(w, http.StatusAccepted, view)
}

// holdExecution keeps a single execution. Files that came with the request are not
// kept, so that there must be none.
func (s *Server) holdExecution(w http.ResponseWriter, r *http.Request, in *executionInput) error {
	if len(in.inputs) > 0 {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "wait for a person", Err: errors.New("files of a request are not kept"),
			Hint: "upload them to /v1/datasets, and name them in datasets",
		}
	}
	if _, err := s.executionRequest(r, in); err != nil { // what cannot be meant is refused now
		return err
	}
	return s.hold(w, r, cellwall.KeptExecution{Metadata: in.body.Metadata}, asked{Body: &in.body}, in.body.Code, in.body.Purpose)
}

// checkCodeSize refuses code of too many characters.
func checkCodeSize(code string) error {
	if len(code) > cellwall.MaxCodeBytes && utf8.RuneCountInString(code) > cellwall.MaxCodeBytes {
		return &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "read code", Err: fmt.Errorf("it has more than %d characters", cellwall.MaxCodeBytes),
			Hint: "read data from a dataset instead of writing it into the code",
		}
	}
	return nil
}

// waitingFor is the approval that an execution waits for; "" when it waits for none.
func (s *Server) waitingFor(ctx context.Context, k cellwall.KeptExecution) string {
	if k.State != cellwall.WorkWaiting || s.opts.Approvals == nil {
		return ""
	}
	a, err := s.opts.Approvals.ApprovalOf(ctx, k.Identity.Tenant, cellwall.ApprovalExecution, k.ID)
	if err != nil {
		return ""
	}
	return a.ID
}
