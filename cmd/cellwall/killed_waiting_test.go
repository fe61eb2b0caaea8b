package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// leaveWork has the service do something that nobody waits for.
func (s *served) leaveWork(code string) string {
	s.t.Helper()
	status, text := call(s.t, s.local(), "POST", "http://local/v1/executions", execution(code), "Prefer", "respond-async")
	var k struct{ ID string }
	if err := json.Unmarshal([]byte(text), &k); err != nil || status != 202 {
		s.t.Fatalf("%d %s", status, text)
	}
	return k.ID
}

// isWork reports whether what is kept of an execution says so.
func (s *served) isWork(id, says string) bool {
	_, text := call(s.t, s.local(), "GET", "http://local/v1/executions/"+id, "")
	return strings.Contains(text, says)
}

// TestM49_WorkThatOnlyWaitedRunsAfterAKill has one turn: what has it is lost with the
// service, what waits for it runs in the next one, once.
func TestM49_WorkThatOnlyWaitedRunsAfterAKill(t *testing.T) {
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	file := settingsFile(t, "workers = 1\n")
	s := serveIn(t, "cellwall-fake", state, "--config", file).ready()
	sent := s.leaveWork("wait")
	s.await("nothing runs", func() bool { return s.isWork(sent, `"running"`) })
	waits := []string{s.leaveWork("out one"), s.leaveWork("out two")}
	s.await("nothing waits for the turn", func() bool {
		_, text := call(t, s.local(), "GET", "http://local/metrics", "")
		return strings.Contains(text, "\ncellwall_queue_waiting 2\n")
	})
	for _, id := range waits {
		if !s.isWork(id, `"queued"`) {
			t.Error("what waits for its turn is not queued")
		}
	}
	s.end(9)
	s = serveIn(t, "cellwall-fake", state, "--config", file).ready()
	s.await("what was sent is not lost", func() bool { return s.isWork(sent, `"lost"`) })
	for i, id := range waits {
		s.await("what waited does not run", func() bool { return s.isWork(id, []string{`"one"`, `"two"`}[i]) })
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
