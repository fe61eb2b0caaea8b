package probe

import (
	"context"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are the attempts that leave nothing behind in the process that makes
// them.
var calls = []struct {
	name, mechanism, since string
	try                    func() (string, error)
}{
	{PidfdOpen, "pidfd_open of this process", "5.3", tryPidfdOpen},
	{PidfdSignal, "pidfd_send_signal(0) to this process", "5.3", tryPidfdSignal},
	{Openat2, "openat2 beneath a directory, without links", "5.6", tryOpenat2},
	{CloseRange, "close_range of no descriptor", "5.9", tryCloseRange},
	{Memfd, "memfd_create and seal", "3.17", tryMemfd},
	{Landlock, "landlock_create_ruleset, version", "5.13", tryLandlock},
}

func tryKernel(context.Context, Options) (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", fmt.Errorf("ask kernel release: %w", err)
	}
	release := unix.ByteSliceToString(u.Release[:])
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("read kernel release %q: %w", release, err)
	}
	if major < 5 || major == 5 && minor < 10 {
		return "", fmt.Errorf("check kernel: %s is too old", release)
	}
	return release, nil
}

func tryPidfdOpen() (string, error) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return "", fmt.Errorf("open pidfd: %w", err)
	}
	return "", unix.Close(fd)
}

func tryPidfdSignal() (string, error) {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return "", fmt.Errorf("open pidfd: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return "", fmt.Errorf("signal through pidfd: %w", err)
	}
	return "", nil
}

func tryOpenat2() (string, error) {
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("open root: %w: %w", errPassing, err)
	}
	defer unix.Close(root)
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	fd, err := unix.Openat2(root, ".", &how)
	if err != nil {
		return "", fmt.Errorf("open beneath: %w", err)
	}
	unix.Close(fd)
	if fd, err := unix.Openat2(root, "..", &how); err == nil {
		unix.Close(fd)
		return "", fmt.Errorf("open beneath: the parent was opened all the same")
	}
	return "", nil
}

func tryCloseRange() (string, error) {
	const last = ^uint(0) >> 1 & 0x7fffffff // above every limit of descriptors
	if err := unix.CloseRange(last, last, 0); err != nil {
		return "", fmt.Errorf("close range: %w", err)
	}
	return "", nil
}

func tryMemfd() (string, error) {
	fd, err := unix.MemfdCreate("cellwall-probe", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return "", fmt.Errorf("create memfd: %w", err)
	}
	defer unix.Close(fd)
	seals := unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return "", fmt.Errorf("seal memfd: %w", err)
	}
	if _, err := unix.Write(fd, []byte("x")); err == nil {
		return "", fmt.Errorf("seal memfd: it was written all the same")
	}
	return "", nil
}

func tryLandlock() (string, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(nil)), 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return "", fmt.Errorf("ask landlock: %w", errno)
	}
	return fmt.Sprintf("ABI %d", abi), nil
}
