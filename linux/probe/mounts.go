package probe

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// private keeps our mounts to our namespace.
func private() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	return nil
}

// mountTmpfs mounts one with limits over /proc, a directory that surely exists,
// and meets the limit on files.
func mountTmpfs() (string, error) {
	if err := private(); err != nil {
		return "", err
	}
	err := unix.Mount("tmpfs", "/proc", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m,nr_inodes=2,mode=0700")
	if err != nil {
		return "", fmt.Errorf("mount tmpfs: %w", err)
	}
	if err := os.Mkdir("/proc/one", 0o700); err != nil { // the root is the first inode
		return "", fmt.Errorf("use tmpfs: %w", err)
	}
	if err := os.Mkdir("/proc/two", 0o700); err == nil {
		return "", fmt.Errorf("use tmpfs: its limit of inodes does not hold")
	}
	return "limits of size and inodes hold", nil
}

// mountProc mounts one that shows this pid namespace, in which we are the first.
func mountProc() (string, error) {
	if err := private(); err != nil {
		return "", err
	}
	err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err != nil {
		return "", fmt.Errorf("mount proc: %w", err)
	}
	self, err := os.Readlink("/proc/self")
	if err == nil && self != "1" {
		err = fmt.Errorf("it shows us as %s, want 1", self)
	}
	if err != nil {
		return "", fmt.Errorf("use proc: %w", err)
	}
	return "", nil
}
