package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Prune removes the roots that no name stands for any more, as renewed locks
// leave them behind, and returns their digests. A root for which inUse answers
// true stays: only the caller knows which roots have sandboxes.
func (s *Store) Prune(ctx context.Context, inUse func(digest string) bool) ([]string, error) {
	unlock, err := s.lockRoots(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	names, err := s.Catalog.Names()
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, name := range names {
		if b, err := s.Show(name); err == nil {
			kept[b.Digest] = true
		}
	}
	dirs, err := os.ReadDir(filepath.Join(s.Dir, "roots"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list roots: %w", err)
	}
	var gone []string
	for _, d := range dirs {
		digest := strings.Replace(d.Name(), "-", ":", 1)
		if kept[digest] || inUse(digest) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.Dir, "roots", d.Name())); err != nil {
			return gone, fmt.Errorf("remove root: %w", err)
		}
		gone = append(gone, digest)
	}
	return gone, nil
}

// lockRoots is held while a root gets its name and while roots are removed, so
// that Prune never sees a root whose record is not written yet. The name of
// the lock is none that an environment can have.
func (s *Store) lockRoots(ctx context.Context) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(s.Dir, "locks", ".roots"), nil)
}
