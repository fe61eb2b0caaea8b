package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the file by which a slot is held. It is the only one of a slot
// that outlives its holder: a lock must never be removed, or two could hold it.
const lockName = "lock"

// lockFile opens and locks path, or fails with EWOULDBLOCK when somebody holds
// it. The lock lives as long as the descriptor, which no child inherits.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

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
		lock, err := lockFile(filepath.Join(dir, lockName))
		if err != nil {
			if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist) {
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
