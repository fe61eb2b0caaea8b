package apitest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/store"
)

// ledger keeps an execution before its record, as the binary does.
type ledger struct {
	store   *store.Store
	records *audit.Log
}

func (l *ledger) Append(at time.Time, entry any) error {
	e, ok := entry.(controller.Entry)
	if !ok || e.Result == nil {
		return l.records.Append(at, entry)
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	result, err := json.Marshal(e.Result)
	if err != nil {
		return err
	}
	kept := cellwall.KeptExecution{
		ID: e.ID, Identity: e.Identity, Session: e.Session, At: e.At, State: cellwall.WorkDone, Status: e.Status,
		Metadata: e.Metadata, Result: result,
	}
	if err := l.store.KeepExecution(context.Background(), kept, line, e.Result.Artifacts, store.Answer{}); err != nil {
		return err
	}
	return l.records.Append(at, entry)
}

// built are the environments of the host.
type built struct{ store *environment.Store }

func (b built) Environments(context.Context) ([]cellwall.Environment, error) {
	env, err := b.store.Open("python-data-basic")
	return []cellwall.Environment{env}, err
}
