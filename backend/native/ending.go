package native

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// stream is a pipe or socket that the runtime waits for.
type stream interface {
	io.Reader
	syscall.Conn
	SetReadDeadline(time.Time) error
}

// ending reads a stream to its end, which comes either by itself or when
// everybody who could write to it is known to run no more: what is there then
// is all there will be, although the kernel has not closed the other end yet.
type ending struct {
	stream
	silent atomic.Bool
	read   int // so far, past the deadline
	most   int // bytes to read since then, where others may go on writing; 0 = all
}

// pipeRoom is the most that a pipe holds whatever its owner asks for: the
// kernel's pipe-max-size.
const pipeRoom = 1 << 20

// pause says that what is there now is wanted, and no more.
func (e *ending) pause() {
	e.most = pipeRoom
	e.silence()
}

// resume undoes what an earlier ending did to the stream.
func resume(s stream) { _ = s.SetReadDeadline(time.Time{}) }

// silence says that nobody writes any more.
func (e *ending) silence() {
	e.silent.Store(true)
	_ = e.SetReadDeadline(time.Unix(1, 0)) // wakes a Read; a stream without deadlines has no reader
}

// Read implements io.Reader.
func (e *ending) Read(p []byte) (int, error) {
	if !e.silent.Load() {
		n, err := e.stream.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
	return e.rest(p)
}

// rest reads what is there without waiting, past the deadline.
func (e *ending) rest(p []byte) (n int, err error) {
	raw, err := e.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e.most > 0 {
		if e.read >= e.most {
			return 0, io.EOF
		}
		defer func() { e.read += n }()
	}
	for {
		var readErr error
		if err := raw.Control(func(fd uintptr) { n, readErr = syscall.Read(int(fd), p) }); err != nil {
			return 0, err
		}
		switch {
		case n > 0:
			return n, nil
		case errors.Is(readErr, syscall.EINTR):
		case readErr == nil, errors.Is(readErr, syscall.EAGAIN):
			return 0, io.EOF
		default:
			return 0, readErr
		}
	}
}
