package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/filelock"
)

func TestAwaitService_SaysSoWhenTheServiceDoesNotAnswerAndGathersEvidenceAllTheSame(t *testing.T) {
	c := &config{StateDir: t.TempDir()}
	never := func(lockdown) error {
		return c.awaitService(t.Context(), 50*time.Millisecond, func(said seenState) bool { return said.V != 0 })
	}
	if err := never(lockdown{}); err != nil {
		t.Errorf("no service runs: %v", err)
	}
	held, err := filelock.Open(c.inState("serve.lock"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	l, err := c.lock(lockdown{By: "a test", Why: "to see"}, time.Now(), never)
	if l == nil || exitOf(err) != exitInternal || !strings.Contains(err.Error(), "has not answered within 50ms") || cellwall.HintOf(err) == "" {
		t.Fatalf("%v, %v", l, err)
	}
	if _, err := os.Stat(filepath.Join(l.Report, postMortemFile)); err != nil {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.awaitService(gone, time.Minute, func(seenState) bool { return false }); err == nil {
		t.Error("who was interrupted is told that it was seen")
	}
}

// Who looks whether a service runs must not be what keeps one from its start.
func TestService_StartsAlthoughSomebodyLooksAtItsLock(t *testing.T) {
	s := &service{config: &config{StateDir: t.TempDir()}}
	held, err := filelock.Open(s.config.inState("serve.lock"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(30*time.Millisecond, func() { held.Close() })
	if err := s.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := (&service{config: s.config}).lock(t.Context()); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("a second service: %v", err)
	}
	if err := s.undo.Run(); err != nil {
		t.Error(err)
	}
}
