package writeback_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall/internal/writeback"
)

// refusals are what a syncer told of.
type refusals struct {
	mu   sync.Mutex
	said []error
}

func (r *refusals) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, err)
}

func (r *refusals) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.said)
}

func TestOneSyncServesWhatCameMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused refusals
	s := writeback.New(refused.fail)
	for range 100 {
		s.Soon(path)
	}
	deadline := time.After(10 * time.Second)
	for s.Count() == 0 {
		select {
		case <-deadline:
			t.Fatal("nothing was synced")
		case <-time.After(time.Millisecond):
		}
	}
	if err := s.Flush(); err != nil || refused.count() != 0 || s.Count() > 10 {
		t.Errorf("%d syncs for 100 writes: %v, %v", s.Count(), err, refused.said)
	}
}

func TestFlushDoesNotWait(t *testing.T) {
	dir := t.TempDir()
	var refused refusals
	s := writeback.New(refused.fail)
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Soon(path)
	}
	if err := s.Flush(); err != nil || s.Count() != 2 {
		t.Errorf("%d syncs of two files: %v", s.Count(), err)
	}
	if err := s.Flush(); err != nil || s.Count() != 2 {
		t.Errorf("%d syncs of two files after a second Flush: %v", s.Count(), err)
	}
}

func TestASyncThatFailsIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(path, path); err != nil { // it cannot be opened
		t.Fatal(err)
	}
	var refused refusals
	s := writeback.New(refused.fail)
	s.Soon(path)
	if err := s.Flush(); err == nil || refused.count() != 1 || !errors.Is(err, refused.said[0]) {
		t.Errorf("Flush: %v, told: %v", err, refused.said)
	}
	s.Soon(filepath.Join(t.TempDir(), "gone")) // was moved to where it belongs, and synced there
	if err := s.Flush(); err != nil {
		t.Error(err)
	}
}
