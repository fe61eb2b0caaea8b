package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// syncWithin is how long a commit may wait for the disk: one sync serves all that
// came in the meantime. Who asked is answered before it: what was written
// outlives this process, however that ends, and after 25 ms also the machine's
// power.
const syncWithin = 25 * time.Millisecond

// syncer brings a log to the disk behind its writer.
type syncer struct {
	path    string // "" = the database does it itself, before it answers
	pending atomic.Bool
	running sync.WaitGroup
	syncs   atomic.Int64
	failed  func(error)
}

// soon has what was written until now be on the disk within syncWithin.
func (s *syncer) soon() {
	if s.path == "" || !s.pending.CompareAndSwap(false, true) {
		return
	}
	s.running.Add(1)
	time.AfterFunc(syncWithin, func() {
		defer s.running.Done()
		s.pending.Store(false)
		s.syncs.Add(1)
		if err := syncFile(s.path); err != nil {
			s.failed(err)
		}
	})
}

// syncFile brings a file to the disk, by whatever descriptor it was written.
func syncFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its content was moved to where it belongs, and synced there
	}
	if err != nil {
		return fmt.Errorf("sync log of the database: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync log of the database: %w", err)
	}
	return nil
}
