package probe

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// tryNamespace makes a namespace and compares its identity with ours.
func tryNamespace(kind string, flag uintptr) func(context.Context, Options) (string, error) {
	try := inChild(verbNamespace, unix.CLONE_NEWUSER|flag, kind)
	return func(ctx context.Context, opts Options) (string, error) {
		inside, err := try(ctx, opts)
		if err != nil {
			return "", err
		}
		outside, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			return "", fmt.Errorf("look at own namespace: %w", err)
		}
		if inside == outside {
			return "", fmt.Errorf("make %s namespace: the child is still in ours, %s", kind, outside)
		}
		return inside, nil
	}
}

// privileged does what only somebody with capabilities in the user namespace may
// do: some hosts let a namespace be made and then take them away.
func privileged() (string, error) {
	if uid := os.Getuid(); uid != 0 {
		return "", fmt.Errorf("look at own id: %d inside, want 0", uid)
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWUTS); err != nil {
		return "", fmt.Errorf("use a capability in the user namespace: %w", err)
	}
	if err := unix.Sethostname([]byte("probe")); err != nil {
		return "", fmt.Errorf("use a capability in the user namespace: %w", err)
	}
	return "capabilities hold inside", nil
}

func timeNamespace() (string, error) {
	runtime.LockOSThread()
	before, err := os.Readlink("/proc/thread-self/ns/time_for_children")
	if err != nil {
		return "", fmt.Errorf("look at time namespace: %w", err)
	}
	if err := unix.Unshare(unix.CLONE_NEWTIME); err != nil {
		return "", fmt.Errorf("make time namespace: %w", err)
	}
	after, err := os.Readlink("/proc/thread-self/ns/time_for_children")
	if err == nil && after == before {
		err = fmt.Errorf("still %s", before)
	}
	if err != nil {
		return "", fmt.Errorf("make time namespace: %w", err)
	}
	return after, nil
}
