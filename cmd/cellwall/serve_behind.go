package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/store"
)

// leftBehind keeps work that outlives the call that asked for it. However it
// ends, there is a record of it and an event.
type leftBehind struct {
	ledger *ledger
	bus    *notify.Bus
}

var _ api.Background = leftBehind{}

// Accept is that of the store.
func (b leftBehind) Accept(ctx context.Context, k cellwall.KeptExecution) error {
	return b.ledger.store.Accept(ctx, k)
}

// Begin is that of the store.
func (b leftBehind) Begin(ctx context.Context, tenant, id string) (bool, error) {
	return b.ledger.store.Begin(ctx, tenant, id)
}

// Take is that of the store.
func (b leftBehind) Take(ctx context.Context, tenant, id string) (bool, error) {
	return b.ledger.store.Take(ctx, tenant, id)
}

// Settle ends work that came to nothing. Where the controller has refused it,
// there is a record already.
func (b leftBehind) Settle(ctx context.Context, k cellwall.KeptExecution, refusal cellwall.ErrorCode) error {
	e := b.entry(k)
	var said struct{ Cause cellwall.Cause }
	if err := json.Unmarshal(k.Result, &said); err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	if e.Status, e.Cause = k.Status, said.Cause; k.Status != cellwall.StatusCancelled {
		e.Refusal = refusal
	}
	text, err := plainJSON(e)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	noted, err := b.ledger.store.Settle(ctx, k, text, happened(e)...)
	if err != nil {
		return err
	}
	b.bus.Kept(k.Identity.Tenant)
	if noted {
		return nil
	}
	return b.ledger.finish(k.Identity.Tenant, k.ID, e.At, text)
}

// Adopt takes over what a service that died has accepted, and records what was
// lost with it.
func (b leftBehind) Adopt(ctx context.Context) ([]cellwall.KeptExecution, error) {
	queued, err := b.ledger.store.Adopt(ctx, func(k cellwall.KeptExecution) (store.Loss, error) {
		text, err := plainJSON(lostEntry{b.entry(k), true})
		return store.Loss{Entry: text, Told: happening(k.Identity.Tenant, kindLost, executionTold{
			ID: k.ID, Session: k.Session, Subject: k.Identity.Subject,
		})}, err
	})
	if err != nil {
		return nil, err
	}
	return queued, b.ledger.recover(ctx)
}

// lostEntry is the record of an execution that ended with the service: nobody
// knows how.
type lostEntry struct {
	controller.Entry
	Lost bool `json:"lost"`
}

// entry is what is known of work from its request.
func (b leftBehind) entry(k cellwall.KeptExecution) controller.Entry {
	asked := api.AskedOf(k.Request)
	sum := sha256.Sum256([]byte(asked.Code))
	return masked(controller.Entry{
		V: 1, ID: k.ID, Call: asked.Call, Session: k.Session, At: time.Now().UTC(), Identity: k.Identity,
		CodeSHA256: hex.EncodeToString(sum[:]), Code: asked.Code, Purpose: asked.Purpose, Metadata: k.Metadata,
		Inputs: []cellwall.InputFact{}, Findings: []cellwall.Finding{}, Artifacts: []controller.EntryArtifact{}, Refused: []cellwall.Refusal{},
		Boundary: cellwall.Boundary{Network: "none", Degraded: []string{}},
	}, b.ledger.masks(k.Identity.Tenant))
}
