package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// InstallFlags returns the flags with which a program is installed on this
// kernel: a listener, and, where the kernel has it (5.19), callers that only a
// fatal signal can take away from a call that the supervisor holds.
func InstallFlags() uint {
	// The kernel looks at the flags before the program, so a missing program
	// tells an unknown flag (EINVAL) from a known one (EFAULT).
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, 0)
	if errno == unix.EFAULT {
		return flags
	}
	return unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
}

// Load installs p for the calling thread and what it will execute, for good,
// and returns the listener descriptor. The goroutine is locked to its thread
// and must end with it or execute another program: other threads of the
// process are not under the filter.
func Load(p Program) (listener int, err error) {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("set no_new_privs: %w", err)
	}
	code := p.Bytes()
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: (*unix.SockFilter)(unsafe.Pointer(&code[0]))}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, uintptr(InstallFlags()), uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return -1, fmt.Errorf("install filter: %w", errno)
	}
	return int(fd), nil
}
