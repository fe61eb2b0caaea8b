package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/filelock"
	"github.com/cellwall/cellwall/pentest"
)

// openOwnState is a state directory below the real one for one verb alone: its
// records and artifacts are nobody's history, and go with release. The directory
// stays, and the next start sweeps what a killed one left: control groups are
// named after it. Its environments are the real ones.
func openOwnState(c *config, verb string) (own *config, release func() error, err error) {
	dir := c.inState(verb)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, stateError(c, err)
	}
	lock, err := lockOwnState(dir, verb)
	if err != nil {
		return nil, nil, err
	}
	release = func() error { return errors.Join(emptyOwnState(dir), lock.Close()) }
	link := filepath.Join(dir, "environments")
	err = errors.Join(
		os.Chmod(dir, 0o755), // sandboxes of other users than root's pass through it
		emptyOwnState(dir), os.Symlink(c.inState("environments"), link))
	if err != nil {
		return nil, nil, errors.Join(stateError(c, err), release())
	}
	return &config{StateDir: dir}, release, nil
}

func lockOwnState(dir, verb string) (*os.File, error) {
	lock, err := filelock.Open(filepath.Join(dir, "lock"), 0o600)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, &cellwall.Error{
			Code: cellwall.CodeBusy, Op: verb, Err: fmt.Errorf("another one uses %s", dir),
			Hint: "wait for its end, or choose another state directory with --state-dir",
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return lock, nil
}

// canaryLink leads to the canary of a pentest, which stands elsewhere.
const canaryLink = "canary"

// emptyOwnState removes all but the lock, the slots that a sweep looks at, and
// the compiled driver; also the canary that a killed pentest left.
func emptyOwnState(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		switch e.Name() {
		case "lock", "run", "driver":
		case canaryLink:
			target, err := os.Readlink(filepath.Join(dir, canaryLink))
			if err == nil && strings.HasPrefix(filepath.Base(target), pentest.CanaryPrefix) {
				err = os.RemoveAll(target)
			}
			errs = append(errs, err, os.Remove(filepath.Join(dir, canaryLink)))
		default:
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
