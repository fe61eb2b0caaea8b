package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/store/blob"
)

// eventsOf reads everything that the tenant was told.
func (l *crowd) eventsOf(s *served) (all []cellwall.Happening) {
	for after := uint64(0); ; {
		_, text := call(l.t, s.local(), "GET", fmt.Sprintf("http://local/v1/events?limit=200&after=%d", after), "")
		var part struct {
			Items []cellwall.Happening
			Next  uint64
		}
		if err := json.Unmarshal([]byte(text), &part); err != nil {
			l.t.Fatal(err)
		}
		if len(part.Items) == 0 {
			return all
		}
		all, after = append(all, part.Items...), part.Next
	}
}

// checkEvents holds what was told to what was recorded: each execution that
// ended is told once, each session begins and ends once, and each event has been
// sent or still waits for its webhook.
func (l *crowd) checkEvents(events []cellwall.Happening, state string) {
	told, sessions := map[string][]string{}, map[string][]string{}
	for i, e := range events {
		var of struct {
			Execution string `json:"execution_id"`
			Session   string `json:"session_id"`
		}
		if err := json.Unmarshal(e.Data, &of); err != nil || e.Seq != uint64(i+1) {
			l.t.Errorf("event %d: %+v, %v", i+1, e, err)
		}
		if e.Kind == "execution.refused" {
			continue // it was turned away and ran never
		}
		if of.Execution != "" {
			told[of.Execution] = append(told[of.Execution], e.Kind)
		} else {
			sessions[of.Session] = append(sessions[of.Session], e.Kind)
		}
	}
	for id, records := range recordedRuns(l.t, state) {
		if len(told[id]) != 1 || records != 1 {
			l.t.Errorf("%s has %d records, and was told as %q", id, records, told[id])
		}
		delete(told, id)
	}
	if len(told) > 0 {
		l.t.Errorf("told, but not recorded: %v", told)
	}
	for id := range l.sessions {
		if got := strings.Join(sessions[id], " "); got != "session.opened session.ended" {
			l.t.Errorf("session %s was told as %q", id, got)
		}
	}
	pending := pendingDeliveries(l.t, state)
	for _, e := range events {
		if !l.heard[e.ID] && !pending[e.ID] {
			l.t.Errorf("the webhook never hears of %+v", e)
		}
	}
}

// recordedRuns counts the records of each execution that had code.
func recordedRuns(t *testing.T, state string) map[string]int {
	t.Helper()
	log, err := audit.Open(filepath.Join(state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	runs := map[string]int{}
	if err := log.Each(time.Time{}, func(line []byte) error {
		var e struct{ ID, Code, Refusal string }
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if e.ID != "" && e.Code != "" && e.Refusal == "" { // the code of a refused call is another one
			runs[e.ID]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return runs
}

// pendingDeliveries are the events that still wait for their webhook.
func pendingDeliveries(t *testing.T, state string) map[string]bool {
	t.Helper()
	contents, err := blob.OpenDisk(filepath.Join(state, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := store.Open(t.Context(), store.Default(state), store.Options{Contents: contents})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	list, err := rows.Due(t.Context(), time.Now().Add(25*time.Hour), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	pending := map[string]bool{}
	for _, d := range list {
		pending[d.Happening.ID] = true
	}
	return pending
}
