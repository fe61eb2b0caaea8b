package mount

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Attributes of a mount.
const (
	ReadOnly = unix.MOUNT_ATTR_RDONLY
	NoSuid   = unix.MOUNT_ATTR_NOSUID
	NoDev    = unix.MOUNT_ATTR_NODEV
	NoExec   = unix.MOUNT_ATTR_NOEXEC
)

// Clone returns a detached copy of the mount (and those below it) that holds
// path. It is how root hands a directory to a process in another user
// namespace, which could not reach the path itself. The copy is private: where
// the original is shared, as everything is on most hosts, what is mounted on
// the copy would appear on the original too.
func Clone(path string) (*os.File, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return nil, fmt.Errorf("clone mount %s: %w", path, err)
	}
	private := unix.MountAttr{Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &private); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("make clone of mount %s private: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// Attach mounts a detached mount at path.
func Attach(tree *os.File, path string) error {
	if err := unix.MoveMount(int(tree.Fd()), "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach mount at %s: %w", path, err)
	}
	return nil
}

// Bind attaches a copy of what is at source at target, with attributes.
func Bind(source, target string, attributes uint64) error {
	tree, err := Clone(source)
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := SetAttributes(tree, attributes); err != nil {
		return err
	}
	return Attach(tree, target)
}

// SetAttributes sets attributes on a mount and everything below it. Other mounts
// of the same file system keep theirs.
func SetAttributes(tree *os.File, attributes uint64) error {
	attr := unix.MountAttr{Attr_set: attributes}
	if err := unix.MountSetattr(int(tree.Fd()), "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("set attributes of mount %s: %w", tree.Name(), err)
	}
	return nil
}

// Restrict sets attributes on the mount at path.
func Restrict(path string, attributes uint64) error {
	attr := unix.MountAttr{Attr_set: attributes}
	if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &attr); err != nil {
		return fmt.Errorf("set attributes of mount %s: %w", path, err)
	}
	return nil
}

// MakePrivate stops every mount of this namespace from telling others.
func MakePrivate() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	return nil
}

// Proc mounts the process table of this pid namespace at path.
func Proc(path string) error {
	if err := unix.Mount("proc", path, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount proc at %s: %w", path, err)
	}
	return nil
}

// Pivot makes path, which must be a mount, the root of this mount namespace
// and lets the old root go: nothing of the host's tree can be reached then.
func Pivot(path string) error {
	if err := unix.Chdir(path); err != nil {
		return fmt.Errorf("enter new root %s: %w", path, err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change root to %s: %w", path, err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let old root go: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("enter new root: %w", err)
	}
	return nil
}
