package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// scratchState is a state directory whose records and sandboxes are one verb's
// own and whose environments are the real ones. Remove it.
func scratchState(c *config, verb string) (string, error) {
	scratch, err := os.MkdirTemp("", "cellwall-"+verb+"-")
	if err != nil {
		return "", fmt.Errorf("make scratch state: %w", err)
	}
	// Sandboxes of other users than root's pass through it.
	err = errors.Join(os.Chmod(scratch, 0o755), os.Symlink(c.inState("environments"), filepath.Join(scratch, "environments")))
	if err != nil {
		return "", errors.Join(fmt.Errorf("make scratch state: %w", err), os.RemoveAll(scratch))
	}
	return scratch, nil
}
