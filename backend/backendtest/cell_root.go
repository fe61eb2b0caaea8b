package backendtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// enterRoot makes the environment's root, with a writable layer of memory above
// it, the root of this mount namespace.
func enterRoot(spec cellSpec) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	root, err := layer(spec)
	if err != nil {
		return err
	}
	for _, step := range []func(string) error{mountProc, mountDev, makeFolders, pivot} {
		if err := step(root); err != nil {
			return err
		}
	}
	return nil
}

func layer(spec cellSpec) (string, error) {
	if err := mount("tmpfs", spec.Scratch, "tmpfs", 0, "mode=755"); err != nil {
		return "", err
	}
	upper, work, root := filepath.Join(spec.Scratch, "upper"), filepath.Join(spec.Scratch, "work"), filepath.Join(spec.Scratch, "root")
	for _, dir := range []string{upper, work, root} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return "", fmt.Errorf("make layer: %w", err)
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", spec.Root, upper, work)
	if spec.Mapped {
		options += ",userxattr"
	}
	return root, mount("overlay", root, "overlay", 0, options)
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", source, target, err)
	}
	return nil
}

// mountProc shows this pid namespace. What acts on the whole machine becomes
// read-only: root's own files stay root's in a namespace that keeps ids.
func mountProc(root string) error {
	proc := filepath.Join(root, "proc")
	if err := errors.Join(folder(proc), mount("proc", proc, "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "")); err != nil {
		return err
	}
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus"} {
		if err := readOnly(filepath.Join(proc, name), filepath.Join(proc, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func readOnly(source, target string) error {
	if err := mount(source, target, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	return mount(source, target, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY|syscall.MS_NOSUID|syscall.MS_NOEXEC, "")
}

func mountDev(root string) error {
	dev := filepath.Join(root, "dev")
	if err := errors.Join(folder(dev), mount("tmpfs", dev, "tmpfs", syscall.MS_NOSUID, "mode=755")); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		node := filepath.Join(dev, name)
		if err := os.WriteFile(node, nil, 0o666); err != nil {
			return fmt.Errorf("make node: %w", err)
		}
		// Read-only keeps mode and owner of the host's node; data still passes.
		if err := readOnly(filepath.Join("/dev", name), node); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink(to, filepath.Join(dev, name)); err != nil {
			return fmt.Errorf("make node: %w", err)
		}
	}
	return os.Mkdir(filepath.Join(dev, "shm"), 0o1777)
}

// makeFolders covers what a root may hold already: the canary of the host lies
// below its /tmp.
func makeFolders(root string) error {
	for name, mode := range map[string]string{"tmp": "mode=1777", "run": "mode=755", "home": "mode=755", "workspace": "mode=755"} {
		dir := filepath.Join(root, name)
		if err := errors.Join(folder(dir), mount("tmpfs", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, mode)); err != nil {
			return err
		}
	}
	return errors.Join(folder(filepath.Join(root, inputDir)), folder(filepath.Join(root, outputDir)))
}

func folder(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}

func pivot(root string) error {
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("enter root: %w", err)
	}
	// With "." twice the old root ends up on top of the new one.
	if err := syscall.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot root: %w", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("leave old root: %w", err)
	}
	return os.Chdir("/")
}
