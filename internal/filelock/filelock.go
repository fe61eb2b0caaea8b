package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrHeld is the error of Try and Open while somebody else holds the lock.
var ErrHeld = errors.New("another one holds the lock")

// Take locks f and waits until it can.
func Take(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// Try locks f, or fails with ErrHeld.
func Try(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// Release unlocks f, which stays open.
func Release(f *os.File) error { return flock(f, syscall.LOCK_UN) }

// Open opens the file at path, which it makes with perm when it is missing, and
// locks it until it is closed, or fails with ErrHeld.
func Open(path string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, perm)
	if err != nil {
		return nil, err
	}
	if err := Try(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Held reports whether somebody holds the lock at path. For the moment of the look
// it has a shared lock itself, which Open may meet: who must not fail by that tries
// again.
func Held(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			if err != nil {
				return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
			}
			return nil
		}
	}
}
