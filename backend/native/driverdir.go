package native

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cellwall/cellwall/guest"
)

// unpackDriver writes the embedded driver and the agent below stateDir, once
// per version, and returns the directory. It appears whole or not at all.
func unpackDriver(stateDir string) (string, error) {
	parent := filepath.Join(stateDir, "driver")
	target := filepath.Join(parent, guest.DriverDigest())
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", stateError(err)
	}
	stage, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return "", stateError(err)
	}
	defer os.RemoveAll(stage)
	if err := writeDriver(stage); err != nil {
		return "", stateError(err)
	}
	if err := os.Rename(stage, target); err != nil {
		if _, statErr := os.Stat(target); statErr == nil {
			return target, nil // another controller was first, with the same content
		}
		return "", stateError(err)
	}
	return target, nil
}

func writeDriver(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	source := guest.Driver()
	err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if entry.IsDir() {
			return os.Mkdir(target, 0o755)
		}
		content, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		return writeMode(target, content, 0o644)
	})
	if err != nil {
		return fmt.Errorf("unpack driver: %w", err)
	}
	agent, err := agentBinary(runtime.GOARCH)
	if err != nil {
		return err
	}
	return writeMode(filepath.Join(dir, "agent"), agent, 0o755)
}

// writeMode writes a file with exactly mode, whatever the umask.
func writeMode(path string, content []byte, mode os.FileMode) error {
	if err := os.WriteFile(path, content, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
