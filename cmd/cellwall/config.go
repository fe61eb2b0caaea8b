package main

import (
	"errors"
	"os"
	"path/filepath"
)

// What is used when nobody says otherwise.
const (
	defaultBackend     = "native"
	defaultEnvironment = "python-data-basic"
)

// config is what every verb shares.
type config struct {
	StateDir string `placeholder:"DIR" help:"Where environments, caches and records live (default: /var/lib/cellwall as root, else ~/.local/state/cellwall)."`
}

// validate fills in what depends on the host.
func (c *config) validate() error {
	if c.StateDir == "" {
		dir, err := defaultStateDir()
		if err != nil {
			return usage("find state directory", err, "set --state-dir or CELLWALL_STATE_DIR")
		}
		c.StateDir = dir
	}
	abs, err := filepath.Abs(c.StateDir)
	if err != nil {
		return usage("find state directory", err, "give an absolute path")
	}
	c.StateDir = abs
	return nil
}

func defaultStateDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib/cellwall", nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "cellwall"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return "", errors.New("neither XDG_STATE_HOME nor HOME is set")
	}
	return filepath.Join(home, ".local", "state", "cellwall"), nil
}

// inState returns a path below the state directory.
func (c *config) inState(name string) string { return filepath.Join(c.StateDir, name) }
