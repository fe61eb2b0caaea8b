package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// leavesThread is a cell that returns at once, and leaves 300 ms of processor time to
// be used behind it.
const leavesThread = `{"code":"import threading, time\ndef burn():\n    while time.thread_time() < 0.3: pass\nthreading.Thread(target=burn).start()"}`

// spentView is what a session says of its processor time, as do its view and the event
// of its end.
type spentView struct {
	CPUMS        float64  `json:"cpu_ms"`
	BetweenCPUMS *float64 `json:"between_cpu_ms"`
}

// burns runs a cell that leaves a thread running, and waits until the session's view
// has what that took.
func (s *served) burns(key, at string) {
	s.t.Helper()
	if status, _, text := s.ask(key, "POST", at+"/executions", leavesThread); status != 200 {
		s.t.Fatalf("%d %s", status, text)
	}
	s.await("what ran between cells is in no view", func() bool {
		var view struct{ Usage spentView }
		_, _, text := s.ask(key, "GET", at, "")
		err := json.Unmarshal([]byte(text), &view)
		return err == nil && view.Usage.BetweenCPUMS != nil && *view.Usage.BetweenCPUMS >= 270 && view.Usage.CPUMS > 0
	})
}

// What a session used is billed once: beside its cells as the event of its end has it,
// whether it was closed or ended with the service.
func TestM42_WhatSessionsLeaveRunningIsBilledOnce(t *testing.T) {
	s := realService(t, "--metrics-listen", "127.0.0.1:0")
	tenant := s.newTenant()
	key := s.newKey(tenant, time.Time{}, cellwall.Scopes()...)
	at := "/v1/sessions/" + s.made(key, "/v1/sessions", `{}`)
	s.burns(key, at)
	if status, _, text := s.ask(key, "DELETE", at, ""); status != 204 {
		t.Fatalf("%d %s", status, text)
	}
	if said := s.metrics(); !strings.Contains(said, "\ncellwall_between_cells_cpu_seconds_total 0.") {
		t.Errorf("no metric has it: %s", said)
	}
	first := s.spent(key)
	if billed := s.billed(key, tenant); math.Abs(billed-first) > 0.01 {
		t.Errorf("billed are %v ms, the session used %v", billed, first)
	}
	s.burns(key, "/v1/sessions/"+s.made(key, "/v1/sessions", `{}`))
	if status := s.end(syscall.SIGTERM); status != 0 {
		t.Fatalf("it ended with %d", status)
	}
	again := serveIn(t, "cellwall", s.state)
	if billed, both := again.billed(key, tenant), first+again.spent(key); math.Abs(billed-both) > 0.01 || both < first+270 {
		t.Errorf("billed are %v ms, the sessions used %v", billed, both)
	}
}

// spent is what the session that ended last used in all.
func (s *served) spent(key string) float64 {
	s.t.Helper()
	_, text := s.told(key, "session.ended")
	var end spentView
	if err := json.Unmarshal([]byte(text), &end); err != nil || end.BetweenCPUMS == nil || *end.BetweenCPUMS < 270 {
		s.t.Fatalf("the event of its end: %s, %v", text, err)
	}
	return end.CPUMS + *end.BetweenCPUMS
}

// billed is the processor time in a tenant's usage.
func (s *served) billed(key, tenant string) (ms float64) {
	s.t.Helper()
	var usage struct{ Items []cellwall.UsageRow }
	_, _, text := s.ask(key, "GET", "/v1/usage", "")
	if err := json.Unmarshal([]byte(text), &usage); err != nil {
		s.t.Fatal(err)
	}
	for _, row := range usage.Items {
		if row.Tenant != tenant {
			s.t.Errorf("a row of another tenant: %+v", row)
		}
		ms += row.CPUMS
	}
	return ms
}

func TestM3_TimeBetweenCellsCountsForTheBudget(t *testing.T) {
	s := realService(t)
	for _, budget := range []string{"session_budget", "budget"} {
		var made struct{ ID string }
		s.operate("POST", "/v1/admin/tenants", fmt.Sprintf(`{"name":"x%d","terms":{%q:{"time_ms":250}}}`, len(budget), budget), 201, &made)
		key := s.newKey(made.ID, time.Time{}, cellwall.ScopeExecute)
		at := "/v1/sessions/" + s.made(key, "/v1/sessions", `{}`)
		s.burns(key, at)
		status, _, text := s.ask(key, "POST", at+"/executions", `{"code":"1"}`)
		if status != 200 || !strings.Contains(text, `"reason":"total_time_ms"`) {
			t.Errorf("%s: a cell behind 300 ms of 250: %d %s", budget, status, text)
		}
	}
}

func TestM42_ASessionSaysWhatIsNotMeasured(t *testing.T) {
	s := fakeService(t)
	key := makeKey(t, s, "acme", cellwall.ScopeExecute)
	_, _, text := s.ask(key, "GET", "/v1/sessions/"+s.made(key, "/v1/sessions", `{}`), "")
	if !strings.Contains(text, `"between_cpu_ms":null`) {
		t.Errorf("a backend that counts nothing beside cells: %s", text)
	}
}
