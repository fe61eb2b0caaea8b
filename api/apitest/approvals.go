package apitest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/store"
)

// approvals are those of the store, with a record of each step.
type approvals struct {
	*store.Store
	records *audit.Log
}

var _ api.Approvals = approvals{}

func (p approvals) Ask(ctx context.Context, a cellwall.Approval, k *cellwall.KeptExecution, most int) error {
	return p.noted(a, "requested", a.At, func(n store.Note) error { return p.Store.Ask(ctx, a, k, most, n) })
}

func (p approvals) Decide(ctx context.Context, a cellwall.Approval, request []byte) error {
	return p.noted(a, string(a.State), a.DecidedAt, func(n store.Note) error { return p.Store.Decide(ctx, a, request, n) })
}

// noted keeps a step with its record, then appends the record.
func (p approvals) noted(a cellwall.Approval, action string, at time.Time, keep func(store.Note) error) error {
	entry, err := json.Marshal(map[string]any{"v": 1, "kind": "approval", "approval_id": a.ID, "action": action, "identity": a.Asked, "code": a.Code})
	if err != nil {
		return err
	}
	note := store.Note{ID: a.ID + "." + action, At: at, Entry: entry}
	if err := keep(note); err != nil {
		return err
	}
	if err := p.records.Append(at, json.RawMessage(entry)); err != nil {
		return err
	}
	p.Recorded(a.Asked.Tenant, note.ID)
	return nil
}
