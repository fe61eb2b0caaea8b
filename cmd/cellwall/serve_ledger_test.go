package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/store/blob"
)

// openLedger opens a ledger over real files below dir.
func openLedger(t *testing.T, dir string) *ledger {
	t.Helper()
	records, err := audit.Open(filepath.Join(dir, "records"))
	if err != nil {
		t.Fatal(err)
	}
	contents, err := blob.OpenDisk(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := store.Open(t.Context(), store.Default(dir), store.Options{Serve: true, Contents: contents})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
		records.Close()
	})
	return &ledger{store: rows, records: records}
}

func ledgerEntry(id string) controller.Entry {
	r := &cellwall.Result{ID: id, OK: true, Status: cellwall.StatusOK, Stdout: cellwall.Output{Text: "1 < 2"}}
	return controller.Entry{
		V: 1, ID: id, At: time.Now().UTC(), Identity: cellwall.Identity{Tenant: "tnt_a"}, Code: "1", Status: r.Status, Result: r,
	}
}

func recordsOf(t *testing.T, l *ledger) (lines []string) {
	t.Helper()
	if err := l.records.Each(time.Now().Add(-time.Hour), func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestM35_WhatWasKeptBeforeADeathIsRecordedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir)
	whole, cut := ledgerEntry(cellwall.NewID("exec")), ledgerEntry(cellwall.NewID("exec"))
	if err := l.Append(whole.At, whole); err != nil {
		t.Fatal(err)
	}
	l.records.Close() // and from here on the log cannot be written, as when the process dies in between
	there := filepath.Join(dir, "records")
	if err := errors.Join(os.Rename(there, there+".away"), os.WriteFile(there, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(cut.At, cut); err == nil {
		t.Error("it would be answered without a record")
	}
	if err := errors.Join(os.Remove(there), os.Rename(there+".away", there)); err != nil {
		t.Fatal(err)
	}
	if err := l.store.Close(); err != nil {
		t.Fatal(err)
	}
	l = openLedger(t, dir)
	for range 2 { // a second time finds nothing more
		if err := l.recover(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lines := recordsOf(t, l)
	if len(lines) != 2 || !strings.Contains(lines[0], whole.ID) || strings.Contains(lines[0], "recovered") ||
		!strings.Contains(lines[1], cut.ID) || !strings.Contains(lines[1], `"recovered":true`) {
		t.Errorf("%q", lines)
	}
	for _, e := range []controller.Entry{whole, cut} {
		got, err := l.store.Execution(t.Context(), "tnt_a", e.ID)
		if err != nil || !strings.Contains(string(got.Result), "1 < 2") {
			t.Errorf("%s, %v", got.Result, err)
		}
	}
}

func TestM35_WhatWasTurnedAwayIsRecordedAndIsNoExecution(t *testing.T) {
	l := openLedger(t, t.TempDir())
	refusedOne := ledgerEntry(cellwall.NewID("exec"))
	refusedOne.Refusal, refusedOne.Result, refusedOne.Status = cellwall.CodeBusy, nil, cellwall.StatusRefused
	begun := ledgerEntry(cellwall.NewID("exec"))
	begun.Session, begun.Code = "sess_1", ""
	for _, e := range []controller.Entry{refusedOne, begun} {
		if err := l.Append(e.At, e); err != nil {
			t.Fatal(err)
		}
		if _, err := l.store.Execution(t.Context(), "tnt_a", e.ID); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("%s is an execution: %v", e.ID, err)
		}
	}
	if lines := recordsOf(t, l); len(lines) != 2 {
		t.Errorf("%q", lines)
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		list, _, err := l.store.Entries(t.Context(), "tnt_a", cellwall.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 2 {
			var e controller.Entry
			if err := json.Unmarshal(list[0], &e); err != nil || e.ID == "" {
				t.Errorf("%s, %v", list[0], err)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d entries are listed", len(list))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Work that was accepted is turned away for now, then runs: both are recorded,
// and a death after the second one's keeping takes neither.
func TestM35_TheRecordOfWhatRanIsNotTakenForThatOfAnEarlierTry(t *testing.T) {
	l := openLedger(t, t.TempDir())
	e := ledgerEntry(cellwall.NewID("exec"))
	if err := l.store.Accept(t.Context(), cellwall.KeptExecution{ID: e.ID, Identity: e.Identity, At: e.At, Request: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.Begin(t.Context(), "tnt_a", e.ID); err != nil {
		t.Fatal(err)
	}
	busy := e
	busy.Refusal, busy.Result, busy.Status = cellwall.CodeBusy, nil, cellwall.StatusRefused
	if err := l.Append(busy.At, busy); err != nil {
		t.Fatal(err)
	}
	text, err := plainJSON(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.keep(e, text); err != nil { // and the process dies before the record
		t.Fatal(err)
	}
	if err := l.recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := recordsOf(t, l)
	if len(lines) != 2 || !strings.Contains(lines[0], `"refusal":"busy"`) || !strings.Contains(lines[1], `"recovered":true`) {
		t.Errorf("%q", lines)
	}
	events, err := l.store.Events(t.Context(), "tnt_a", 0, 10)
	if err != nil || len(events) != 1 || events[0].Kind != kindDone {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestM35_WhatTheStoreCannotKeepIsRecordedAllTheSame(t *testing.T) {
	dir := t.TempDir()
	l := openLedger(t, dir)
	broken, err := store.Open(t.Context(), store.Default(t.TempDir()), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken.Close()
	e := ledgerEntry(cellwall.NewID("exec"))
	if err := (&ledger{store: broken, records: l.records}).Append(e.At, e); err == nil {
		t.Error("it would be answered")
	}
	if lines := recordsOf(t, l); len(lines) != 1 || !strings.Contains(lines[0], e.ID) {
		t.Errorf("%q", lines)
	}
}

func TestM35_PersonalDataIsMaskedInRecordsAndHashesAreOfWhatRan(t *testing.T) {
	l := openLedger(t, t.TempDir())
	l.mask = func(tenant string) func(string) string {
		if tenant != "tnt_a" {
			return nil
		}
		return func(s string) string { return strings.ReplaceAll(s, "13912345678", "[phone]") }
	}
	const secret = "call 13912345678"
	e := ledgerEntry(cellwall.NewID("exec"))
	e.Code, e.CodeSHA256, e.Purpose, e.Failure, e.Metadata = secret, "hash", secret, secret, map[string]string{"k": secret}
	e.Inputs = []cellwall.InputFact{{Name: secret}}
	e.Findings = []cellwall.Finding{{Message: secret, Instead: secret}}
	e.Artifacts = []controller.EntryArtifact{{Name: secret}}
	other := e
	other.ID, other.Identity.Tenant = cellwall.NewID("exec"), "tnt_b"
	for _, one := range []controller.Entry{e, other} {
		if err := l.Append(one.At, one); err != nil {
			t.Fatal(err)
		}
	}
	if e.Inputs[0].Name != secret || e.Metadata["k"] != secret || e.Findings[0].Message != secret || e.Artifacts[0].Name != secret {
		t.Error("masking changed what is answered")
	}
	lines := recordsOf(t, l)
	if len(lines) != 2 || strings.Contains(lines[0], "13912345678") || strings.Count(lines[0], "[phone]") != 8 ||
		!strings.Contains(lines[0], `"code_sha256":"hash"`) || strings.Count(lines[1], "13912345678") != 8 {
		t.Errorf("%q", lines)
	}
	list, _, err := l.store.Entries(t.Context(), "tnt_a", cellwall.Page{Limit: 10})
	if err != nil || len(list) != 1 || strings.Contains(string(list[0]), "13912345678") {
		t.Errorf("%s, %v", list, err)
	}
}
