package mount

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Overlay makes a detached, read-only view of directories, the first on top. It
// shows their files by inodes of its own: a lock or a watch on one of them is
// seen by nobody who looks through another view. lower are two or more paths
// without a colon in them, as the kernel asks of a view that nobody writes.
func Overlay(lower ...string) (*os.File, error) {
	ctx, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("open overlay: %w", err)
	}
	defer unix.Close(ctx)
	if err := unix.FsconfigSetString(ctx, "lowerdir", strings.Join(lower, ":")); err != nil {
		return nil, fmt.Errorf("set directories of overlay: %w", err)
	}
	if err := unix.FsconfigCreate(ctx); err != nil {
		return nil, fmt.Errorf("create overlay: %w", err)
	}
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, ReadOnly|NoSuid|NoDev|NoExec)
	if err != nil {
		return nil, fmt.Errorf("mount overlay: %w", err)
	}
	return os.NewFile(uintptr(fd), "overlay"), nil
}
