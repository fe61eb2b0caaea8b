package apitest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// forEver is a body of code that ends by nothing but a cancellation, in the time of a test.
const forEver = `{"code":"import time; time.sleep(60)","limits":{"timeout_ms":90000}}`

// left leaves work behind.
func left(t *testing.T, s *Service, path, body string) (id string) {
	t.Helper()
	return Into[Listed](t, s.Call(t, "POST", path, s.Key, body, "Prefer", "respond-async"), 202).ID
}

func inState(t *testing.T, s *Service, id, state string) {
	t.Helper()
	await(t, id+" is never "+state, func() bool {
		a := s.Call(t, "GET", "/v1/executions/"+id, s.Key, "")
		return strings.Contains(string(a.Body), `"state":"`+state+`"`)
	})
}

// cancel cancels an execution, and holds what is kept of it to that.
func cancel(t *testing.T, s *Service, id string) {
	t.Helper()
	for range 2 { // whoever heard nothing asks again
		v := Into[Listed](t, s.Call(t, "DELETE", "/v1/executions/"+id, s.Key, ""), 200)
		if v.ID != id || v.State != "done" || v.Status != "cancelled" {
			t.Fatalf("cancelled it is %+v", v)
		}
	}
	r := Into[cellwall.Result](t, s.Call(t, "GET", "/v1/executions/"+id, s.Key, ""), 200)
	if r.OK || r.Status != cellwall.StatusCancelled || r.Cause != cellwall.CauseCancelled || r.Observation.Status != cellwall.StatusCancelled || r.Observation.RetryHint == "" {
		t.Errorf("its result is %+v", r)
	}
	if records := s.Records(t); !strings.Contains(records, `"target":"`+id+`"`) {
		t.Errorf("who cancelled %s is not recorded", id)
	}
}

func anExecutionIsCancelled(t *testing.T, s *Service) {
	ids := make([]string, 6) // four of a tenant run at once
	for i := range ids {
		ids[i] = left(t, s, "/v1/executions", forEver)
	}
	inState(t, s, ids[0], "running")
	inState(t, s, ids[5], "queued")
	cancel(t, s, ids[5])
	cancel(t, s, ids[0])
	events := parseEvents(s.Call(t, "GET", "/v1/executions/"+ids[0]+"/events", s.Key, "").Body)
	if last := events[len(events)-1]; last.kind != "done" || !strings.Contains(last.data, `"status":"cancelled"`) {
		t.Errorf("its stream ends with %+v", last)
	}
	for _, id := range ids[1:5] {
		cancel(t, s, id)
	}
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`), 200)
	p := DemandProblem(t, "an execution that has ended", s.Call(t, "DELETE", "/v1/executions/"+r.ID, s.Key, ""), 409, "conflict")
	if !strings.Contains(p.Detail, "ended already: ok") {
		t.Errorf("it says %q", p.Detail)
	}
}

func aStreamedExecutionIsCancelled(t *testing.T, s *Service) {
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/executions", strings.NewReader(forEver))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Idempotency-Key": {"cancelled"}, "Content-Type": {"application/json"}, "X-Api-Key": {s.Key}}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") { // the first event names it
	}
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &started); err != nil {
		t.Fatalf("%v: %s", err, lines.Text())
	}
	cancel(t, s, started.ID)
	last := ""
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, `"status":"cancelled"`) {
		t.Errorf("the stream ends with %s", last)
	}
	again := s.Call(t, "POST", "/v1/executions", s.Key, forEver, "Accept", "text/event-stream", "Idempotency-Key", "cancelled")
	if again.Header.Get("Idempotency-Replayed") != "true" || !strings.Contains(string(again.Body), `"status":"cancelled"`) {
		t.Errorf("under its key it is %d %s", again.Status, again.Body)
	}
}

// hears follows an execution until it has said something.
func hears(t *testing.T, s *Service, id, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/v1/executions/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {s.Key}}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), text) { // it ends with the execution
	}
	if !strings.Contains(lines.Text(), text) {
		t.Fatalf("%s never says %q: %d %v", id, text, got.StatusCode, lines.Err())
	}
}

// The session lives on: what waited has not run, and of what ran it has what was done.
func aCellIsCancelled(t *testing.T, s *Service) {
	id := Into[struct{ ID string }](t, s.Call(t, "POST", "/v1/sessions", s.Key, `{}`), 201).ID
	path := "/v1/sessions/" + id + "/executions"
	Into[cellwall.Result](t, s.Call(t, "POST", path, s.Key, `{"code":"x = 1"}`), 200)
	runs := left(t, s, path, `{"code":"x = 2\nprint('it is on', flush=True)\nimport time; time.sleep(25)"}`)
	hears(t, s, runs, "it is on")
	waits := left(t, s, path, `{"code":"x = 3"}`)
	cancel(t, s, waits)
	inState(t, s, runs, "running")
	cancel(t, s, runs)
	if r := Into[cellwall.Result](t, s.Call(t, "POST", path, s.Key, `{"code":"print(x)"}`), 200); r.Stdout.Text != "2\n" {
		t.Errorf("afterwards x is %q: %+v", r.Stdout.Text, r.Error)
	}
	s.Call(t, "DELETE", "/v1/sessions/"+id, s.Key, "")
}

func whatWaitsForAPersonIsWithdrawn(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('asked')")
	cancel(t, s, w.ID)
	if a := approvalOf(t, s, s.Key, w.Approval); a.State != "rejected" || !strings.Contains(a.Comment, "cancelled") {
		t.Errorf("there is to decide: %+v", a)
	}
	DemandProblem(t, "approved all the same", s.Call(t, "POST", "/v1/approvals/"+w.Approval+"/approve", s.Key, ""), 409, "conflict")
}

// Nobody is asked to decide what cannot be done any more.
func whatWaitsForAPersonGoesWithItsSession(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	one := begin(t, s, `{}`)
	w := Into[waits](t, s.Call(t, "POST", one.path+"/executions", s.Agent, `{"code":"1"}`), 202)
	single := held(t, s, "1")
	if a := s.Call(t, "DELETE", one.path, s.Key, ""); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if r := over(t, s, w.ID); r.Status != cellwall.StatusRefused || r.Cause != cellwall.CauseSession || !strings.Contains(r.Observation.ErrorMessage, "waited for a person") {
		t.Errorf("it ended as %s %s: %+v", r.Status, r.Cause, r.Observation)
	}
	if a := approvalOf(t, s, s.Key, w.Approval); a.State != "expired" || a.Comment != "its session is over" || a.DecidedBy.Key != "" {
		t.Errorf("its approval is %+v", a)
	}
	if a := approvalOf(t, s, s.Key, single.Approval); a.State != "waiting" {
		t.Errorf("what has no session is %+v", a)
	}
}

func cancellingIsForItsTenant(t *testing.T, s *Service) {
	id := left(t, s, "/v1/executions", forEver)
	inState(t, s, id, "running")
	onlyForItsTenant(t, s, id, asking{"DELETE", "/v1/executions/{id}", ""})
	inState(t, s, id, "running")
	cancel(t, s, id)
}
