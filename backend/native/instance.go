package native

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cellwall/cellwall"
)

// maxInstances is how many controllers may share one state directory.
const maxInstances = 256

// instance is this controller's place among those that share a state
// directory: a number that it holds by a lock for as long as it lives. Its
// name, for control groups, begins with the directory's device and inode,
// which no other directory of this kernel has, whatever it is called in
// whichever mount namespace: only those who share a directory may judge who
// in it is dead.
type instance struct {
	home string // names the state directory
	slot int
	lock *os.File
}

func (i *instance) name() string { return i.home + strconv.Itoa(i.slot) }

// ids is the first of this instance's range of user ids. Two state directories
// meet in one range by chance only, once in 200.
func (i *instance) ids() int {
	const ranges = (0xffff_0000 - uidBase) / uidRange
	hash := fnv.New32a()
	hash.Write([]byte(i.home))
	return uidBase + (int(hash.Sum32())+i.slot)%ranges*uidRange
}

func takeInstance(stateDir string) (*instance, error) {
	home, err := homeOf(stateDir)
	if err != nil {
		return nil, stateError(err)
	}
	for slot := range maxInstances {
		dir := filepath.Join(stateDir, "run", strconv.Itoa(slot))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, stateError(err)
		}
		lock, err := lockFile(filepath.Join(dir, "lock"))
		if err == nil {
			return &instance{home: home, slot: slot, lock: lock}, nil
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
		Hint: "make it writable and give it room, or set CELLWALL_STATE_DIR to a directory of yours",
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

// homeOf names a directory by what the kernel knows it by.
func homeOf(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return "", fmt.Errorf("look at %s: %w", dir, err)
	}
	return fmt.Sprintf("%x-%x-", s.Dev, s.Ino), nil
}

// alive reports whether a controller holds the lock of the named instance. One
// of another state directory is not ours to judge.
func (i *instance) alive(stateDir, name string) bool {
	slot, ours := strings.CutPrefix(name, i.home)
	if !ours {
		return true
	}
	lock, err := lockFile(filepath.Join(stateDir, "run", slot, "lock"))
	if err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK) // no such directory: nobody lives there
	}
	lock.Close()
	return false
}

func (i *instance) close() error { return i.lock.Close() }
