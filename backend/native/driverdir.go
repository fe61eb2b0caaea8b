package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// driverName names what is unpacked by everything that it is made of.
func driverName(e cellwall.Environment, agent []byte, compiled bool) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s%s %t ", guest.DriverDigest(), weakness(), compiled)
	sum.Write(agent) // for one architecture
	return hex.EncodeToString(sum.Sum(nil)) + "-" + filepath.Base(e.Interpreter)
}

// unpackDriver writes the embedded driver and the agent below the state
// directory, once per version and interpreter, and returns the directory. It
// appears whole or not at all.
func (b *Backend) unpackDriver(ctx context.Context, e cellwall.Environment) (string, error) {
	agent, err := agentBinary(runtime.GOARCH)
	if err != nil {
		return "", err
	}
	parent := filepath.Join(b.stateDir, "driver")
	target := filepath.Join(parent, driverName(e, agent, b.compile != nil))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", stateError(err)
	}
	// In our slot, which is emptied when we die before the end.
	stage, err := os.MkdirTemp(b.instance.dir, "driver-")
	if err != nil {
		return "", stateError(err)
	}
	defer os.RemoveAll(stage)
	if err := writeDriver(stage, agent); err != nil {
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

func writeDriver(dir string, agent []byte) error {
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
		if content, err = weakened(path, content); err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
	if err != nil {
		return fmt.Errorf("unpack driver: %w", err)
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
