package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// Cell takes one cell from request to record. Of req it takes what a cell may
// say: ID, Trace, Code, Purpose, ExpectedArtifacts, KeepFiles, Language, AttemptsLeft,
// TokenCost, Metadata, Functions, Begin, Identity.Subject and a shorter Limits.Timeout; the rest was decided when the session began. count is
// the cell's number.
func (o *Opened) Cell(ctx context.Context, req cellwall.Request, count int, sink cellwall.Sink) (*cellwall.Result, error) {
	own, err := o.request(req)
	if err != nil {
		return nil, err
	}
	return o.c.execute(ctx, &execution{c: o.c, req: own, sink: sink, opened: o, count: count, kept: true})
}

// Stop answers a cell that a budget forbids: refused, with a stop in its
// observation, and recorded. Nothing of it runs.
func (o *Opened) Stop(ctx context.Context, req cellwall.Request, stop cellwall.Stop) (*cellwall.Result, error) {
	own, err := o.request(req)
	if err != nil {
		return nil, err
	}
	return o.c.execute(ctx, &execution{c: o.c, req: own, opened: o, stop: &stop, kept: true})
}

// request is the session's own, with what the cell may say.
func (o *Opened) request(cell cellwall.Request) (cellwall.Request, error) {
	req := o.req
	req.Code, req.Purpose, req.ExpectedArtifacts = cell.Code, cell.Purpose, cell.ExpectedArtifacts
	req.ID, req.Trace, req.TokenCost, req.Metadata = cell.ID, cell.Trace, cell.TokenCost, cell.Metadata
	req.KeepFiles, req.Language, req.AttemptsLeft = cell.KeepFiles, cell.Language, cell.AttemptsLeft
	req.Functions, req.Approved, req.Begin = cell.Functions, cell.Approved, cell.Begin
	if cell.Identity.Subject != "" { // of the same tenant: whose key it is was looked at before
		req.Identity.Subject = cell.Identity.Subject
	}
	if timeout := cell.Limits.Timeout; timeout != 0 {
		if timeout > req.Limits.Timeout {
			return req, bad("check timeout", fmt.Errorf("%v is more than the session's %v", timeout, req.Limits.Timeout), "")
		}
		req.Limits.Timeout = timeout
	}
	return req, nil
}

// Rollback makes the state of a kept checkpoint the live one, files included.
// It fails as that of cellwall.Checkpointer does.
func (o *Opened) Rollback(ctx context.Context, to cellwall.Return) (cellwall.Restored, error) {
	keeper, ok := o.sandbox.(cellwall.Checkpointer)
	if !ok {
		return cellwall.Restored{}, &cellwall.Error{
			Code: cellwall.CodeProtectionMissing, Op: "roll back session", Err: errors.New("this backend keeps no checkpoints"),
		}
	}
	began := time.Now()
	back, err := keeper.Rollback(ctx, to)
	if err != nil {
		return back, fmt.Errorf("roll back session: %w", err)
	}
	if back.Files {
		o.settle(ctx)
	}
	return back, o.recordRollback(began, back)
}

// recordRollback writes what the cells behind it run on. The state has gone
// back, whatever becomes of the record.
func (o *Opened) recordRollback(at time.Time, back cellwall.Restored) error {
	err := o.c.opts.Recorder.Append(at, Entry{
		V: 1, ID: cellwall.NewID(cellwall.PrefixExecution), Session: o.id, At: at.UTC(), Identity: o.req.Identity,
		Inputs: []cellwall.InputFact{}, Environment: o.boundary.Environment, Findings: []cellwall.Finding{},
		Status: cellwall.StatusOK, Restored: &back, Artifacts: []EntryArtifact{}, Boundary: o.boundary, Refused: []cellwall.Refusal{},
	})
	if err != nil {
		return &cellwall.Error{
			Code: cellwall.CodeInternal, Op: "record rollback of session " + o.id, Err: err,
			Hint: "make room in the state directory; the session has gone back all the same",
		}
	}
	return nil
}

// cell is the number of the cell that ran, 0 when none did.
func (x *execution) cell() int {
	if x.result.Status == cellwall.StatusRefused {
		return 0
	}
	return x.count
}
