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
	"github.com/cellwall/cellwall/internal/filelock"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// maxInstances is how many controllers may share one state directory.
const maxInstances = 256

// instance is this controller's place among those that share a state
// directory: a number that it holds by a lock for as long as it lives. Its
// name, for control groups, begins with the directory's device and inode,
// which no other directory of this kernel has, whatever it is called in
// whichever mount namespace: only those who share a directory may end what a
// dead one has left. What is empty anybody may remove: see fate.
type instance struct {
	home string // names the state directory
	slot int
	dir  string // for files that are not to outlive the instance
	lock *os.File
}

func (i *instance) name() string { return i.home + strconv.Itoa(i.slot) }

// kind begins the name of every instance of this backend.
const kind = "native-"

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
		lock, err := filelock.Open(filepath.Join(dir, lockName), 0o600)
		if err == nil {
			if err := clearSlot(dir); err != nil { // of an earlier holder
				return nil, stateError(errors.Join(err, lock.Close()))
			}
			return &instance{home: home, slot: slot, dir: dir, lock: lock}, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
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

// homeOf names a directory by what the kernel knows it by.
func homeOf(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return "", fmt.Errorf("look at %s: %w", dir, err)
	}
	return fmt.Sprintf(kind+"%x-%x-", s.Dev, s.Ino), nil
}

// alive reports whether a controller holds the lock of the named instance. One
// of another state directory is not ours to judge.
func (i *instance) alive(stateDir, name string) bool {
	slot, ours := strings.CutPrefix(name, i.home)
	if !ours {
		return true
	}
	lock, err := filelock.Open(filepath.Join(stateDir, "run", slot, lockName), 0o600)
	if err != nil {
		return errors.Is(err, filelock.ErrHeld) // no such directory: nobody lives there
	}
	lock.Close()
	return false
}

// fate says what a sweep may do with the groups of an instance that alive was
// asked about. A controller of this state directory may take the place between
// the question and the removal: its groups' lease decides, which it takes and
// the sweep holds. The directory of another instance may be gone, with all who
// would sweep for it; when the lease is free and no process is left, what stands
// there is nobody's.
func (i *instance) fate(name string, alive func(string) bool) cgroup.Fate {
	switch {
	case !strings.HasPrefix(name, kind):
		return cgroup.Leave
	case !strings.HasPrefix(name, i.home):
		return cgroup.RemoveEmpty
	case alive(name):
		return cgroup.Leave
	}
	return cgroup.End
}

func (i *instance) close() error { return i.lock.Close() }
