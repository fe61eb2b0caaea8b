package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
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
	begins := e.Session != "" && e.Cell == 0 && e.Code == ""
	if !ok || e.Result == nil || begins { // of what nobody can ask for
		return l.records.Append(at, entry)
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	var result bytes.Buffer
	enc := json.NewEncoder(&result)
	enc.SetEscapeHTML(false) // as the binary keeps it
	if err := enc.Encode(e.Result); err != nil {
		return err
	}
	kept := cellwall.KeptExecution{
		ID: e.ID, Identity: e.Identity, Session: e.Session, At: e.At, State: cellwall.WorkDone, Status: e.Status,
		Metadata: e.Metadata, Result: bytes.TrimSpace(result.Bytes()),
	}
	if err := l.store.KeepExecution(context.Background(), kept, line, e.Result.Artifacts, store.Answer{}); err != nil {
		return err
	}
	return l.records.Append(at, entry)
}

// KeepResult keeps an execution of a tenant with a Result of about so many bytes, and
// returns its path.
func (s *Service) KeepResult(t testing.TB, tenant string, size int) string {
	t.Helper()
	k := cellwall.KeptExecution{
		ID: cellwall.NewID(cellwall.PrefixExecution), Identity: cellwall.Identity{Tenant: tenant}, At: time.Now(), Status: cellwall.StatusOK,
		Result: []byte(`{"warnings":[],"x":"` + strings.Repeat("x", size) + `"}`),
	}
	if err := s.Store.KeepExecution(context.Background(), k, []byte(`{}`), nil, store.Answer{}); err != nil {
		t.Fatal(err)
	}
	return "/v1/executions/" + k.ID
}

// leftBehind keeps asynchronous work; nothing dies here.
type leftBehind struct{ *store.Store }

func (b leftBehind) Settle(ctx context.Context, k cellwall.KeptExecution, _ cellwall.ErrorCode) error {
	_, err := b.Store.Settle(ctx, k, []byte("{}"))
	return err
}

func (b leftBehind) Adopt(ctx context.Context) ([]cellwall.KeptExecution, error) {
	return b.Store.Adopt(ctx, func(cellwall.KeptExecution) (store.Loss, error) { return store.Loss{Entry: []byte("{}")}, nil })
}

// built are the environments of the host.
type built struct{ store *environment.Store }

func (b built) Environments(context.Context) ([]cellwall.Environment, error) {
	env, err := b.store.Open("python-data-basic")
	return []cellwall.Environment{env}, err
}
