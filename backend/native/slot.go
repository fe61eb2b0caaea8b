package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cellwall/cellwall/internal/filelock"
)

// lockName is the file by which a slot is held. It is the only one of a slot
// that outlives its holder: a lock must never be removed, or two could hold it.
const lockName = "lock"

// sweepSlots removes the files that dead controllers left in their slots. It
// holds the lock of each meanwhile, so that nobody moves in: whoever starts now
// takes another.
func (i *instance) sweepSlots() error {
	slots, err := os.ReadDir(filepath.Dir(i.dir))
	if err != nil {
		return err
	}
	var errs []error
	for _, slot := range slots {
		dir := filepath.Join(filepath.Dir(i.dir), slot.Name())
		if dir == i.dir {
			continue
		}
		lock, err := filelock.Open(filepath.Join(dir, lockName), 0o600)
		if err != nil {
			if !errors.Is(err, filelock.ErrHeld) && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
			continue
		}
		errs = append(errs, clearSlot(dir), lock.Close())
	}
	return errors.Join(errs...)
}

// clearSlot empties a slot whose lock the caller holds.
func clearSlot(dir string) error {
	files, err := os.ReadDir(dir)
	errs := []error{err}
	for _, f := range files {
		if f.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, f.Name())))
		}
	}
	return errors.Join(errs...)
}
