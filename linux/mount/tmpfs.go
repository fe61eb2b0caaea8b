package mount

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// TmpfsOptions limit a file system in memory. UID and GID own its root
// directory, as numbers of the caller's user namespace.
type TmpfsOptions struct {
	Bytes, Inodes int64 // 0 = no limit of its own
	Mode          uint32
	UID, GID      int
	// AccessTimes notes every access to a file, and not only the first after a
	// change: then a mapping can be told, see package keep.
	AccessTimes bool
}

// Tmpfs makes a detached file system in memory. The returned descriptor is the
// root directory of a writable mount of it, which need not be attached
// anywhere: whoever holds it reaches the files even when no name does.
func Tmpfs(o TmpfsOptions) (*os.File, error) {
	ctx, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("open tmpfs: %w", err)
	}
	defer unix.Close(ctx)
	for _, option := range [...]struct {
		key  string
		base int
		n    int64
	}{
		{"mode", 8, int64(o.Mode)},
		{"uid", 10, int64(o.UID)},
		{"gid", 10, int64(o.GID)},
		{"size", 10, o.Bytes},
		{"nr_inodes", 10, o.Inodes},
	} {
		if err := unix.FsconfigSetString(ctx, option.key, strconv.FormatInt(option.n, option.base)); err != nil {
			return nil, fmt.Errorf("set tmpfs %s to %d: %w", option.key, option.n, err)
		}
	}
	if err := unix.FsconfigCreate(ctx); err != nil {
		return nil, fmt.Errorf("create tmpfs: %w", err)
	}
	attributes := NoSuid | NoDev
	if o.AccessTimes {
		attributes |= unix.MOUNT_ATTR_STRICTATIME
	}
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, attributes)
	if err != nil {
		return nil, fmt.Errorf("mount tmpfs: %w", err)
	}
	return os.NewFile(uintptr(fd), "tmpfs"), nil
}

// Mkdir makes the directory name in tree's root with exactly mode and owner.
func Mkdir(tree *os.File, name string, mode uint32, uid int) error {
	fd := int(tree.Fd())
	if err := unix.Mkdirat(fd, name, 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", name, err)
	}
	if err := unix.Fchmodat(fd, name, mode, 0); err != nil {
		return fmt.Errorf("set mode of %s: %w", name, err)
	}
	if err := unix.Fchownat(fd, name, uid, uid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("set owner of %s: %w", name, err)
	}
	return nil
}

// Symlink makes the link name to target in tree's root.
func Symlink(tree *os.File, target, name string) error {
	if err := unix.Symlinkat(target, int(tree.Fd()), name); err != nil {
		return fmt.Errorf("make link %s: %w", name, err)
	}
	return nil
}

// Below returns the directory name in tree's root as a detached mount of its
// own. tree must be attached in the caller's mount namespace: before Linux 6.15
// nothing else can be cloned.
func Below(tree *os.File, name string) (*os.File, error) {
	fd, err := unix.OpenTree(int(tree.Fd()), name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("clone mount %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Create makes the new file name in tree's root, writable by the caller.
func Create(tree *os.File, name string, mode uint32) (*os.File, error) {
	how := unix.OpenHow{
		Flags: unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC, Mode: uint64(mode),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := unix.Openat2(int(tree.Fd()), name, &how)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// CloneOf returns a second, detached mount of what tree mounts, which can get
// attributes of its own. tree must be attached, as for Below.
func CloneOf(tree *os.File) (*os.File, error) {
	fd, err := unix.OpenTree(int(tree.Fd()), "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return nil, fmt.Errorf("clone mount %s: %w", tree.Name(), err)
	}
	return os.NewFile(uintptr(fd), tree.Name()), nil
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
