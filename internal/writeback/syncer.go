package writeback

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Within is how long something that was written may wait for its sync to begin.
const Within = 25 * time.Millisecond

// Syncer syncs files behind who writes them. It is safe for concurrent use.
type Syncer struct {
	failed func(error)
	count  atomic.Int64

	syncing sync.Mutex // held during a sync

	mu    sync.Mutex
	paths map[string]struct{} // written and not synced
}

// New returns a syncer that tells failed of each sync that failed: nobody waits
// for one.
func New(failed func(error)) *Syncer {
	return &Syncer{failed: failed, paths: map[string]struct{}{}}
}

// Soon has what was written to the file of path until now be on the disk soon.
func (s *Syncer) Soon(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paths) == 0 {
		time.AfterFunc(Within, func() { _ = s.Flush() }) // failed hears of it
	}
	s.paths[path] = struct{}{}
}

// Flush returns when everything is on the disk that [Syncer.Soon] was told of
// before, or why it is not.
func (s *Syncer) Flush() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	paths := slices.Sorted(maps.Keys(s.paths))
	clear(s.paths)
	s.mu.Unlock()
	var errs []error
	for _, path := range paths {
		s.count.Add(1)
		if err := syncFile(path); err != nil {
			s.failed(err)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Count is how many syncs there were.
func (s *Syncer) Count() int64 { return s.count.Load() }

// syncFile brings a file to the disk, by whatever descriptor it was written.
func syncFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its content was moved to where it belongs, and synced there
	}
	if err != nil {
		return fmt.Errorf("sync file: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync file: %w", err)
	}
	return nil
}
