package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// unrecorded is an entry without a record.
type unrecorded struct {
	tenant string
	recordID
	text []byte
}

// recordID tells records apart: work that was accepted may be turned away for
// now, more than once, before it runs.
type recordID struct {
	ID      string             `json:"id"`
	Refusal cellwall.ErrorCode `json:"refusal"`
	At      time.Time          `json:"at"`
}

// mark is all of it but the time.
func (r recordID) mark() string { return r.ID + " " + string(r.Refusal) }

// recover appends the records that a death prevented, marked as such. None of
// these executions was answered.
func (l *ledger) recover(ctx context.Context) error {
	var left []unrecorded
	err := l.store.Unrecorded(ctx, func(tenant, id string, text []byte) error {
		var e recordID
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("read entry %s: %w", id, err)
		}
		left = append(left, unrecorded{tenant, e, text})
		return nil
	})
	if err != nil || len(left) == 0 {
		return err
	}
	known, err := l.recordedSince(left[0].At)
	if err != nil {
		return err
	}
	for _, u := range left {
		if !known[u.mark()] {
			marked := append([]byte(`{"recovered":true,`), u.text[1:]...)
			if err := l.records.Append(u.At, json.RawMessage(marked)); err != nil {
				return fmt.Errorf("record execution %s: %w", u.ID, err)
			}
		}
		l.store.Recorded(u.tenant, u.ID)
	}
	return nil
}

// recordedSince returns the marks of what is in the log from the day of at on.
func (l *ledger) recordedSince(at time.Time) (map[string]bool, error) {
	marks := map[string]bool{}
	err := l.records.Each(at.Add(-time.Hour), func(line []byte) error {
		var e recordID
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		marks[e.mark()] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for records: %w", err)
	}
	return marks, nil
}
