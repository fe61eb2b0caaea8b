package native

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
)

// Compiler writes bytecode beside the Python sources below dir, with the
// interpreter of an environment. Without it every zygote compiles the driver
// anew, a tenth of its start.
type Compiler func(ctx context.Context, e cellwall.Environment, dir string) error

// unpackDriver writes the embedded driver and the agent below the state
// directory, once per version and interpreter, and returns the directory. It
// appears whole or not at all.
func (b *Backend) unpackDriver(ctx context.Context, e cellwall.Environment) (string, error) {
	parent := filepath.Join(b.stateDir, "driver")
	target := filepath.Join(parent, guest.DriverDigest()+"-"+filepath.Base(e.Interpreter))
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
	if b.compile != nil {
		if err := b.compile(ctx, e, stage); err != nil {
			return "", fmt.Errorf("compile driver: %w", err)
		}
	}
	if err := openModes(stage); err != nil {
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
		return os.WriteFile(target, content, 0o644)
	})
	if err != nil {
		return fmt.Errorf("unpack driver: %w", err)
	}
	agent, err := agentBinary(runtime.GOARCH)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "agent"), agent, 0o755)
}

// openModes lets the users of sandboxes read what the umask may have closed.
func openModes(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if entry.IsDir() || entry.Name() == "agent" {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}
