package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/store"
)

// ledger is the recorder of a service: an execution is kept before its record is
// appended, and the record before the answer is sent. So each record has its
// execution, and a death in between leaves one that recover finds.
type ledger struct {
	store   *store.Store
	records *audit.Log
}

// Append keeps and records one entry of the controller.
func (l *ledger) Append(at time.Time, entry any) error {
	e, ok := entry.(controller.Entry)
	if !ok {
		return l.records.Append(at, entry)
	}
	text, err := plainJSON(e)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	tenant := e.Identity.Tenant
	if !keeps(e) {
		if err := l.records.Append(at, json.RawMessage(text)); err != nil {
			return err
		}
		l.store.NoteEntry(tenant, e.ID, e.At, text)
		return nil
	}
	result, err := plainJSON(e.Result)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	// Whoever asked may have gone; what ran is kept all the same.
	err = l.store.KeepExecution(context.Background(), cellwall.KeptExecution{
		ID: e.ID, Identity: e.Identity, Session: e.Session, At: e.At, Status: e.Status, Metadata: e.Metadata, Result: result,
	}, text, e.Result.Artifacts, store.Answer{})
	if err == nil {
		err = l.records.Append(at, json.RawMessage(text))
	}
	if err == nil {
		l.store.Recorded(tenant, e.ID)
	}
	return err
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

// unrecorded is an entry without a record.
type unrecorded struct {
	tenant, id string
	at         time.Time
	text       []byte
}

// recover appends the records that a death prevented, marked as such. None of
// these executions was answered.
func (l *ledger) recover(ctx context.Context) error {
	var left []unrecorded
	err := l.store.Unrecorded(ctx, func(tenant, id string, text []byte) error {
		var e struct {
			At time.Time `json:"at"`
		}
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("read entry %s: %w", id, err)
		}
		left = append(left, unrecorded{tenant, id, e.At, text})
		return nil
	})
	if err != nil || len(left) == 0 {
		return err
	}
	known, err := l.recordedSince(left[0].at)
	if err != nil {
		return err
	}
	for _, u := range left {
		if !known[u.id] {
			marked := append([]byte(`{"recovered":true,`), u.text[1:]...)
			if err := l.records.Append(u.at, json.RawMessage(marked)); err != nil {
				return fmt.Errorf("record execution %s: %w", u.id, err)
			}
		}
		l.store.Recorded(u.tenant, u.id)
	}
	return nil
}

// recordedSince returns the ids in the log from the day of at on.
func (l *ledger) recordedSince(at time.Time) (map[string]bool, error) {
	ids := map[string]bool{}
	err := l.records.Each(at.Add(-time.Hour), func(line []byte) error {
		var e struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		ids[e.ID] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for records: %w", err)
	}
	return ids, nil
}

// housekeep removes what is old or unused, now and then, until it is stopped.
func (k *kept) housekeep(set *serveSettings, log *slog.Logger) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(housekeepEvery)
		defer tick.Stop()
		for {
			if err := k.tidy(ctx, set); err != nil && ctx.Err() == nil {
				log.Error("tidy the store", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() error {
		cancel()
		<-done
		return nil
	}
}

// usageKeep is how long rows of usage are kept: two years of bills.
const usageKeep = 2 * 366 * 24 * time.Hour

func (k *kept) tidy(ctx context.Context, set *serveSettings) error {
	_, err := k.Retire(ctx, store.Retention{Executions: set.Defaults.Retention, Entries: set.AuditKeep, Usage: usageKeep})
	_, collected := k.Collect(ctx)
	_, swept := k.Sweep(ctx)
	return errors.Join(err, collected, swept)
}
