package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestM38_LockdownStopsEverythingKeepsEvidenceAndUnlocks(t *testing.T) {
	s := fakeService(t)
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out evil\nend crashed signal:SIGSEGV")); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	running := make(chan string, 1)
	go func() {
		_, text, _ := tryCall(s.local(), "POST", "http://local/v1/executions", execution("wait"))
		running <- text
	}()
	time.Sleep(300 * time.Millisecond) // it has begun
	// What runs is cancelled, and among the records that are looked through.
	status, text := call(t, s.local(), "POST", "http://local/v1/admin/lockdown", `{"why":"something came through"}`)
	if status != 200 || !strings.Contains(text, `"tenant":"local","records":2,"suspect":1`) {
		t.Errorf("lockdown: %d %s", status, text)
	}
	if r := s.result(<-running); r.Status != "cancelled" {
		t.Errorf("what ran ended as %s", r.Status)
	}
	status, text = call(t, s.local(), "POST", "http://local/v1/executions", execution("out more"))
	if status != 503 || !strings.Contains(text, `"locked_down"`) {
		t.Errorf("new work: %d %s", status, text)
	}
	if status, _ := call(t, s.local(), "GET", "http://local/v1/environments", ""); status != 200 {
		t.Errorf("reading: %d", status)
	}
	if status, text := call(t, s.local(), "POST", "http://local/v1/admin/lockdown", `{"why":"again"}`); status != 409 {
		t.Errorf("a second lockdown: %d %s", status, text)
	}
	report := evidenceOf(t, s.state)
	for file, want := range map[string]string{
		"records.jsonl": "out evil", "tenants.json": `"suspect": 1`, "chain.json": `"findings": []`,
		"post-mortem.md": "| local | 1 | 2 |", "lockdown.json": "something came through",
	} {
		raw, err := os.ReadFile(filepath.Join(report, file))
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %v, without %q:\n%s", file, err, want, raw)
		}
	}
	if status, text := call(t, s.local(), "POST", "http://local/v1/admin/unlock", `{"why":"it was a test"}`); status != 200 {
		t.Errorf("unlock: %d %s", status, text)
	}
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out again")); status != 200 {
		t.Errorf("work afterwards: %d %s", status, text)
	}
}

func evidenceOf(t *testing.T, state string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(state, "incidents", "*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("incidents: %v, %v", list, err)
	}
	return list[0]
}

func TestM38_TheFileLocksDownAServiceThatRunsAndOneThatStarts(t *testing.T) {
	s := fakeService(t)
	c := &config{StateDir: s.state}
	if _, err := c.lock(lockdown{By: "a test", Why: "to see"}, time.Now().Add(-time.Hour), func(lockdown) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s.await("the service does not look at the file", func() bool {
		status, _ := call(t, s.local(), "POST", "http://local/v1/executions", execution("out x"))
		return status == 503
	})
	if err := c.checkLockdown(); err == nil {
		t.Error("the command line may run code")
	}
	s.end(9)
	second := serveIn(t, "cellwall-fake", s.state)
	if status, text := call(t, second.local(), "POST", "http://local/v1/executions", execution("out x")); status != 503 {
		t.Errorf("a service that starts: %d %s", status, text)
	}
	if _, err := c.unlock("a test", "seen"); err != nil {
		t.Fatal(err)
	}
	second.ready().await("the service stays locked", func() bool {
		status, _ := call(t, second.local(), "POST", "http://local/v1/executions", execution("out x"))
		return status == 200
	})
	if err := os.WriteFile(c.lockdownFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c.lockedDown() == nil {
		t.Error("a damaged file lets work begin")
	}
	var end lockdown
	raw, err := os.ReadFile(filepath.Join(evidenceOf(t, s.state), "unlock.json"))
	if err != nil || json.Unmarshal(raw, &end) != nil || end.Why != "seen" {
		t.Errorf("unlock.json: %v %s", err, raw)
	}
}
