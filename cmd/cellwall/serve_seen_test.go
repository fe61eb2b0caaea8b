package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// command runs a verb beside the service and wants it to succeed.
func (s *served) command(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall", "CELLWALL_STATE_DIR="+s.state, "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// callers keep a service busy, and remember which executions were answered ok.
func callers(s *served, many int) (stop func() (ok []string)) {
	leave, answered := make(chan struct{}), make(chan []string, many)
	for range many {
		go func() {
			var ok []string
			defer func() { answered <- ok }()
			for {
				select {
				case <-leave:
					return
				default:
				}
				_, text, _ := tryCall(s.local(), "POST", "http://local/v1/executions", execution("out marked"))
				var r cellwall.Result
				if json.Unmarshal([]byte(text), &r) == nil && r.OK {
					ok = append(ok, r.ID)
				}
			}
		}()
	}
	return func() (ok []string) {
		close(leave)
		for range many {
			ok = append(ok, <-answered...)
		}
		return ok
	}
}

func TestLockdown_WhenItReturnsNothingRunsAndTheEvidenceHasAllThatDid(t *testing.T) {
	s := fakeService(t)
	for range 4 {
		stop := callers(s, 4)
		time.Sleep(150 * time.Millisecond)
		s.command("lockdown", "a test", "--pattern", "marked")
		status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out later"))
		if status != 503 || !strings.Contains(text, `"locked_down"`) {
			t.Errorf("after the lockdown: %d %s", status, text)
		}
		ok := stop()
		raw, err := os.ReadFile(filepath.Join((&config{StateDir: s.state}).lockedDown().Report, "records.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ok {
			if !strings.Contains(string(raw), id) {
				t.Errorf("%s was answered ok, and is not in the evidence", id)
			}
		}
		s.command("unlock", "seen")
		if status, text = call(t, s.local(), "POST", "http://local/v1/executions", execution("out again")); status != 200 {
			t.Errorf("after unlock: %d %s", status, text)
		}
		if err := os.Remove(filepath.Join(s.state, "blocks.json")); err != nil {
			t.Fatal(err)
		}
		s.await("the block stays", func() bool {
			_, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out marked"))
			return strings.Contains(text, `"ok":true`)
		})
	}
}

func TestKeys_AChangeHoldsWhenItsVerbReturnsWhereverTheSocketIs(t *testing.T) {
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, "cellwall-fake", state, "--socket", filepath.Join(shortDir(t), "elsewhere.sock"))
	for range 3 {
		key := makeKey(t, s, "acme", "execute")
		if status, _, text := s.ask(key, "GET", "/v1/environments", ""); status != 200 {
			t.Errorf("a new key: %d %s", status, text)
		}
		s.command("keys", "revoke", key)
		if status, _, text := s.ask(key, "GET", "/v1/environments", ""); status != 401 {
			t.Errorf("a revoked key: %d %s", status, text)
		}
	}
}

func TestKeys_ACreationLeavesNoRecordOfARefusal(t *testing.T) {
	s := fakeService(t)
	makeKey(t, s, "acme", "execute")
	s.command("keys", "revoke", makeKey(t, s, "other", "execute"))
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out x")); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	if all := s.records(); strings.Count(all, "\n") != 1 || strings.Contains(all, "not_found") {
		t.Errorf("more was recorded than the one execution:\n%s", all)
	}
}

func TestKeys_AServiceWithAnotherDatabaseIsNotTakenForOneThatHasSeen(t *testing.T) {
	s := fakeService(t)
	said := s.command("keys", "create", "--tenant", "acme", "--database", "sqlite:"+filepath.Join(t.TempDir(), "other.db"))
	if !strings.Contains(said, "another database") {
		t.Errorf("it says nothing of it:\n%s", said)
	}
}
