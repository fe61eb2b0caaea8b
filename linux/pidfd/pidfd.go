package pidfd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is one process, held by descriptor.
type Process struct{ file *os.File }

// New takes over fd, a pidfd.
func New(fd int) (*Process, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("set pidfd non-blocking: %w", err)
	}
	unix.CloseOnExec(fd)
	return &Process{file: os.NewFile(uintptr(fd), "pidfd")}, nil
}

// Open returns the process with number pid, which must not have been reaped:
// only its parent can know that.
func Open(pid int) (*Process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("open pidfd of %d: %w", pid, err)
	}
	return New(fd)
}

// Kill sends SIGKILL. A process that ended already is not an error.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// Signal sends a signal. A process that ended already is not an error.
func (p *Process) Signal(signal syscall.Signal) error {
	var err error
	control := func(fd uintptr) { err = unix.PidfdSendSignal(int(fd), signal, nil, 0) }
	if raw, rawErr := p.file.SyscallConn(); rawErr != nil {
		return rawErr
	} else if rawErr := raw.Control(control); rawErr != nil {
		return rawErr
	}
	return signalled(err)
}

// KillHeld is Kill for a pidfd in a file that stays the caller's. It needs no
// descriptor: it works where there is none to be had.
func KillHeld(file *os.File) error {
	err := unix.PidfdSendSignal(int(file.Fd()), unix.SIGKILL, nil, 0)
	runtime.KeepAlive(file)
	return signalled(err)
}

func signalled(err error) error {
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal process: %w", err)
	}
	return nil
}

// Ended reports whether the process has ended, without waiting.
func (p *Process) Ended() bool { return EndedHeld(p.file) }

// EndedHeld is Ended for a pidfd that somebody holds as a plain file.
func EndedHeld(file *os.File) bool {
	ended := true // a closed descriptor names nobody
	if raw, err := file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { ended = readable(fd) })
	}
	return ended
}

// Wait returns when the process has ended, or with the context's error. It may
// be asked again, by one caller at a time.
func (p *Process) Wait(ctx context.Context) error {
	raw, err := p.file.SyscallConn()
	if err != nil {
		return fmt.Errorf("wait for process: %w", err)
	}
	_ = p.file.SetReadDeadline(time.Time{}) // an earlier wait may have left its own
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := raw.Read(readable); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("wait for process: %w", err)
	}
	return nil
}

// readable polls without waiting; the runtime's poller does the waiting.
func readable(fd uintptr) bool {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil && n > 0
		}
	}
}

// Close lets the descriptor go; the process is not touched.
func (p *Process) Close() error { return p.file.Close() }
