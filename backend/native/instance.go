package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/cellwall/cellwall"
)

// maxInstances is how many controllers may share one state directory.
const maxInstances = 256

// instance is this controller's place among those that share a state
// directory: a number that it holds by a lock for as long as it lives. The
// number names its control groups and chooses its range of user ids.
type instance struct {
	slot int
	lock *os.File
}

func (i *instance) name() string { return strconv.Itoa(i.slot) }

func takeInstance(stateDir string) (*instance, error) {
	for slot := range maxInstances {
		dir := filepath.Join(stateDir, "run", strconv.Itoa(slot))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, stateError(err)
		}
		lock, err := lockFile(filepath.Join(dir, "lock"))
		if err == nil {
			return &instance{slot: slot, lock: lock}, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, stateError(err)
		}
	}
	return nil, &cellwall.Error{
		Code: cellwall.CodeBusy, Op: "start controller",
		Err:  fmt.Errorf("%d controllers use %s already", maxInstances, stateDir),
		Hint: "stop one, or set CELLWALL_STATE_DIR to another directory",
	}
}

func stateError(err error) error {
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "use state directory", Err: err,
		Hint: "make it writable, or set CELLWALL_STATE_DIR to a directory of yours",
	}
}

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

// instanceAlive reports whether a controller holds the instance's lock.
func instanceAlive(stateDir, name string) bool {
	lock, err := lockFile(filepath.Join(stateDir, "run", name, "lock"))
	if err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK) // no such directory: nobody lives there
	}
	lock.Close()
	return false
}

func (i *instance) close() error { return i.lock.Close() }
