package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/store"
)

// ledger is the recorder of a service: an execution is kept, with the event that
// tells of it, before its record is appended, and the record before the answer
// is sent. So each record has its execution and its event, and a death in between
// leaves one that recover finds.
type ledger struct {
	store   *store.Store
	records *audit.Log
	// mask rewrites the texts in a tenant's records; nil = they stay as they are.
	mask func(tenant string) func(text string) string
	// stored counts what a Result takes as used; nil = nobody counts.
	stored func(who cellwall.Identity, bytes int64)
}

// Append keeps and records one entry of the controller. What cannot be kept is
// recorded all the same: the log is what counts.
func (l *ledger) Append(at time.Time, entry any) error {
	e, ok := entry.(controller.Entry)
	if !ok {
		return l.records.Append(at, entry)
	}
	tenant := e.Identity.Tenant
	text, err := plainJSON(masked(e, l.masks(tenant)))
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	if err := l.keep(e, text); err != nil {
		return errors.Join(err, l.records.Append(at, json.RawMessage(text)))
	}
	return l.finish(tenant, e.ID, at, text)
}

// finish appends what the store has kept to the log. What cannot be appended now is at
// the next start.
func (l *ledger) finish(tenant, id string, at time.Time, text []byte) error {
	if err := l.records.Append(at, json.RawMessage(text)); err != nil {
		return err
	}
	l.store.Recorded(tenant, id)
	return nil
}

// keep puts an entry into the store. Whoever asked may have gone; what ran is
// kept all the same.
func (l *ledger) keep(e controller.Entry, text []byte) error {
	ctx, tenant := context.Background(), e.Identity.Tenant
	if !keeps(e) {
		return l.store.KeepEntry(ctx, tenant, e.ID, e.At, text, happened(e)...)
	}
	result, err := plainJSON(e.Result)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	err = l.store.KeepExecution(ctx, cellwall.KeptExecution{
		ID: e.ID, Identity: e.Identity, Session: e.Session, At: e.At, Status: e.Status, Metadata: e.Metadata, Result: result,
	}, text, e.Result.Artifacts, store.Answer{}, happened(e)...)
	if err == nil && l.stored != nil && e.Code != "" { // a description is part of its dataset
		l.stored(e.Identity, int64(len(result)))
	}
	return err
}

func (l *ledger) masks(tenant string) func(string) string {
	if l.mask == nil {
		return nil
	}
	return l.mask(tenant)
}

// masked is an entry without the personal data that people and programs wrote
// into it. Hashes stay those of what ran.
func masked(e controller.Entry, mask func(string) string) controller.Entry {
	if mask == nil {
		return e
	}
	for _, text := range []*string{&e.Code, &e.Purpose, &e.Failure} {
		*text = mask(*text)
	}
	e.Inputs, e.Artifacts, e.Findings = slices.Clone(e.Inputs), slices.Clone(e.Artifacts), slices.Clone(e.Findings)
	for i := range e.Inputs {
		e.Inputs[i].Name = mask(e.Inputs[i].Name)
	}
	for i := range e.Artifacts {
		e.Artifacts[i].Name = mask(e.Artifacts[i].Name)
	}
	for i := range e.Findings {
		e.Findings[i].Message, e.Findings[i].Instead = mask(e.Findings[i].Message), mask(e.Findings[i].Instead)
	}
	e.Calls = slices.Clone(e.Calls)
	for i := range e.Calls {
		e.Calls[i].Arguments = mask(e.Calls[i].Arguments)
	}
	if e.Metadata != nil {
		e.Metadata = maps.Clone(e.Metadata)
		for k, v := range e.Metadata {
			e.Metadata[k] = mask(v)
		}
	}
	return e
}

// keeps reports whether an entry is of an execution that can be asked for: not
// of what was turned away or failed by our own fault, of a session's beginning,
// or of a rollback.
func keeps(e controller.Entry) bool {
	begins := e.Session != "" && e.Cell == 0 && e.Status != cellwall.StatusRefused && e.Code == ""
	return e.Result != nil && e.Refusal == "" && !begins
}

// plainJSON is JSON that people read, too: "<" stays "<".
func plainJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
