// Package delegate gives an ordinary user a control group of version 2, as a
// service manager does with Delegate=yes. Tests need it, and the first process
// of the machine that they boot.
package delegate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Group makes the group at dir, directly below one whose controllers it hands
// down, and gives it to uid: the directory and the files that the kernel's
// documentation names, and no limit. What it returns is the descriptor for a
// process to be born there: the user cannot get in from outside.
func Group(dir string, uid int) (*os.File, error) {
	err := os.WriteFile(filepath.Join(filepath.Dir(dir), "cgroup.subtree_control"), []byte("+memory +pids +cpu"), 0)
	if err != nil {
		return nil, fmt.Errorf("hand controllers down: %w", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make group: %w", err)
	}
	for _, name := range []string{".", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"} {
		if err := os.Chown(filepath.Join(dir, name), uid, uid); err != nil {
			return nil, fmt.Errorf("give group away: %w", err)
		}
	}
	return os.Open(dir)
}
