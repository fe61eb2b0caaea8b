package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/audit"
)

// recordOf finds the records of a call.
func recordOf(t *testing.T, state, call string) (list []api.RecordedCall) {
	t.Helper()
	log, err := audit.Open(filepath.Join(state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Each(time.Now().Add(-time.Hour), func(line []byte) error {
		var e api.RecordedCall
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if e.Call == call {
			list = append(list, e)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// Every route is called without a key, without the scope, with what is not there
// and with what cannot be meant: each refusal has its record when it is answered.
func TestM35_EveryRefusedCallIsRecordedBeforeItIsAnswered(t *testing.T) {
	file := settingsFile(t, "[tenants.slow]\nrate = { per_second = 0.001, burst = 1 }\n")
	s := fakeService(t, "--config", file)
	user, auditor, slow := makeKey(t, s, "acme", "execute", "admin"), makeKey(t, s, "acme", "audit"), makeKey(t, s, "slow", "execute", "admin", "audit")
	s.ask(slow, "GET", "/v1/executions", "") // the only one for a while
	seen := map[int]int{}
	n := 0
	refused := func(key, method, path, body string, headers ...string) {
		n++
		time.Sleep(2 * time.Millisecond)
		id := cellwall.NewID("req")
		status, _, text := s.ask(key, method, path, body, append([]string{"X-Request-Id", id}, headers...)...)
		if status < 400 {
			return
		}
		seen[status]++
		list := recordOf(t, s.state, id)
		if !slices.ContainsFunc(list, func(e api.RecordedCall) bool { return e.Status == status || e.Kind == "" }) && // "" is the controller's
			!countedAlike(t, s.state, method, status) {
			t.Errorf("%s %s: %d %s is recorded as %+v", method, path, status, text, list)
		}
	}
	for pattern, scope := range api.Routes() {
		method, path, _ := strings.Cut(pattern, " ")
		if scope == "" {
			continue
		}
		path = strings.NewReplacer("{id}", "none", "{name}", "x", "{name...}", "x").Replace(path)
		other := user
		if scope != cellwall.ScopeAudit {
			other = auditor
		}
		refused("e2b_"+strings.Repeat("0", 40), method, path, "") // 401
		refused(other, method, path, "")                          // 403
		refused(slow, method, path, "")                           // 429
		if scope != cellwall.ScopeAudit {
			refused(user, method, path, `{"x":`) // 400, 404, 413, 422, …
		}
	}
	refused(user, "POST", "/v1/executions", strings.Repeat("x", 3<<20), "Content-Type", "application/json") // 413
	refused(user, "POST", "/v1/executions", `{"code":1}`)                                                   // 422
	refused(user, "POST", "/v1/nowhere", `{}`)                                                              // 404
	if _, err := (&config{StateDir: s.state}).lock(lockdown{By: "a test", Why: "to see"}, time.Now().Add(-time.Hour), func(lockdown) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s.await("nothing is refused", func() bool {
		status, _, _ := s.ask(user, "POST", "/v1/executions", execution("out x"))
		return status == 503
	})
	time.Sleep(1100 * time.Millisecond)                         // those are one record
	refused(user, "POST", "/v1/executions", execution("out x")) // 503
	for _, status := range []int{401, 403, 404, 413, 422, 429, 503} {
		if seen[status] == 0 {
			t.Errorf("nothing was refused with %d: %v", status, seen)
		}
	}
	t.Logf("%d calls: %v", n, seen)
}

// countedAlike reports whether a refusal stands for others that are alike.
func countedAlike(t *testing.T, state, method string, status int) bool {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, e := range recordOf(t, state, "") {
			if e.Status == status && e.Method == method && e.Count > 0 {
				return true
			}
		}
	}
	return false
}

// What changes something, and what hands data out, is recorded; an execution is by
// the controller, once.
func TestM35_WhatChangesSomethingIsRecorded(t *testing.T) {
	s := fakeService(t)
	for _, c := range []struct {
		method, path, body string
		status, records    int
	}{
		{"POST", "/v1/executions", execution("out x"), 200, 1},
		{"POST", "/v1/keys", `{"name":"n","scopes":["execute"]}`, 201, 1},
		{"POST", "/v1/admin/tenants", `{"name":"x"}`, 201, 1},
		{"GET", "/v1/audit", "", 200, 1},
		{"GET", "/v1/executions", "", 200, 0},
		{"GET", "/healthz", "", 200, 0},
	} {
		id := cellwall.NewID("req")
		status, text := call(t, s.local(), c.method, "http://local"+c.path, c.body, "X-Request-Id", id)
		if list := recordOf(t, s.state, id); status != c.status || len(list) != c.records {
			t.Errorf("%s %s: %d %s, %d records: %+v", c.method, c.path, status, text, len(list), list)
		}
	}
}
