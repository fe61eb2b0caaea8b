package mount

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Tmpfs makes a detached file system in memory. size is in bytes, inodes
// counts files; 0 means no limit of its own. The returned descriptor is the
// root directory of a writable mount of it, which need not be attached
// anywhere: whoever holds it reaches the files even when no name does.
func Tmpfs(size, inodes int64, mode uint32) (*os.File, error) {
	ctx, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("open tmpfs: %w", err)
	}
	defer unix.Close(ctx)
	options := map[string]string{
		"mode": strconv.FormatUint(uint64(mode), 8),
		"size": strconv.FormatInt(size, 10), "nr_inodes": strconv.FormatInt(inodes, 10),
	}
	for key, value := range options {
		if err := unix.FsconfigSetString(ctx, key, value); err != nil {
			return nil, fmt.Errorf("set tmpfs %s=%s: %w", key, value, err)
		}
	}
	if err := unix.FsconfigCreate(ctx); err != nil {
		return nil, fmt.Errorf("create tmpfs: %w", err)
	}
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, NoSuid|NoDev)
	if err != nil {
		return nil, fmt.Errorf("mount tmpfs: %w", err)
	}
	return os.NewFile(uintptr(fd), "tmpfs"), nil
}

// CloneOf returns a second, detached mount of what tree mounts, with
// attributes of its own: a read-only view of a file system that its owner
// still writes.
func CloneOf(tree *os.File, attributes uint64) (*os.File, error) {
	fd, err := unix.OpenTree(int(tree.Fd()), "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return nil, fmt.Errorf("clone mount %s: %w", tree.Name(), err)
	}
	clone := os.NewFile(uintptr(fd), tree.Name())
	if err := SetAttributes(clone, attributes); err != nil {
		clone.Close()
		return nil, err
	}
	return clone, nil
}

// Usage is how full a file system is.
type Usage struct {
	Bytes, BytesFree   int64
	Inodes, InodesFree int64
}

// Full reports whether not even one page or one file more fits.
func (u Usage) Full() bool {
	return (u.Bytes > 0 && u.BytesFree < 4096) || (u.Inodes > 0 && u.InodesFree < 1)
}

// UsageOf asks the file system that holds dir.
func UsageOf(dir *os.File) (Usage, error) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(dir.Fd()), &s); err != nil {
		return Usage{}, fmt.Errorf("ask file system %s: %w", dir.Name(), err)
	}
	return Usage{
		Bytes: int64(s.Blocks) * s.Bsize, BytesFree: int64(s.Bfree) * s.Bsize,
		Inodes: int64(s.Files), InodesFree: int64(s.Ffree),
	}, nil
}
