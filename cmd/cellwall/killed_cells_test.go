package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// leaveCell has a session do something that nobody waits for, under a key of the code's
// own name. What is answered under it later says the same of where to ask.
func (s *served) leaveCell(session, code string) (id string) {
	s.t.Helper()
	status, text := call(s.t, s.local(), "POST", "http://local/v1/sessions/"+session+"/executions", execution(code),
		"Prefer", "respond-async", "Idempotency-Key", code)
	var k struct{ ID string }
	if err := json.Unmarshal([]byte(text), &k); err != nil || status != http.StatusAccepted {
		s.t.Fatalf("%d %s", status, text)
	}
	return k.ID
}

// TestM49_ACellThatOnlyWaitedEndsWithItsSession kills a service in whose session a cell
// runs and two wait. The session cannot be there again: whoever asks for them is told so,
// and nothing says for ever that they wait.
func TestM49_ACellThatOnlyWaitedEndsWithItsSession(t *testing.T) {
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, "cellwall-fake", state).ready()
	_, text := call(t, s.local(), "POST", "http://local/v1/sessions", `{}`)
	var one struct{ ID string }
	if err := json.Unmarshal([]byte(text), &one); err != nil || one.ID == "" {
		t.Fatal(text)
	}
	sent := s.leaveCell(one.ID, "wait")
	s.await("nothing runs", func() bool { return s.isWork(sent, `"running"`) })
	var waits []string
	codes := []string{"out one", "out two"}
	for _, code := range codes {
		waits = append(waits, s.leaveCell(one.ID, code))
	}
	for _, id := range waits {
		if !s.isWork(id, `"queued"`) {
			t.Error("what waits for its session is not queued")
		}
	}
	s.end(9)
	s = serveIn(t, "cellwall-fake", state).ready()
	s.await("what was sent is not lost", func() bool { return s.isWork(sent, `"lost"`) })
	for i, id := range waits {
		s.await("what waited has no end", func() bool { return s.isWork(id, `"status":"`) })
		s.cellEnded(one.ID, codes[i], id)
	}
	_, events := call(t, s.local(), "GET", "http://local/v1/events?limit=100", "")
	for _, id := range waits {
		if !strings.Contains(events, `"execution_id":"`+id+`"`) || strings.Count(events, `"status":"refused","cause":"session","refusal":"conflict"`) != len(waits) {
			t.Errorf("%s: it is told in %s", id, events)
		}
	}
	if code := s.end(15); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	for id, records := range recordedRuns(t, state) {
		if records != 1 {
			t.Errorf("%s has %d records", id, records)
		}
	}
}

// cellEnded holds what is told of a cell whose session is gone to one story.
func (s *served) cellEnded(session, code, id string) {
	s.t.Helper()
	_, text := call(s.t, s.local(), "GET", "http://local/v1/executions/"+id, "")
	var r cellwall.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.SessionID == nil || *r.SessionID != session {
		s.t.Fatalf("%v: %s", err, text)
	}
	if r.OK || r.Status != cellwall.StatusRefused || r.Cause != cellwall.CauseSession {
		s.t.Errorf("it ends as %s, %s", r.Status, r.Cause)
	}
	if r.Error == nil || !strings.Contains(r.Error.Message, "session is over: it ended with the service") || r.Observation.RetryHint == "" {
		s.t.Errorf("it says %+v, %+v", r.Error, r.Observation)
	}
	if again := s.leaveCell(session, code); again != id {
		s.t.Errorf("under its key it is %s, want %s", again, id)
	}
}
