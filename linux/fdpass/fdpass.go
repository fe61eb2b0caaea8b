package fdpass

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Max is the most descriptors that one message carries.
const Max = 16

// Pair returns two connected, unnamed stream sockets: one for this process,
// one to hand to another.
func Pair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make socket pair: %w", err)
	}
	mine, err := Conn(os.NewFile(uintptr(fds[0]), "socket"))
	if err != nil {
		unix.Close(fds[1])
		return nil, nil, err
	}
	return mine, os.NewFile(uintptr(fds[1]), "socket"), nil
}

// Conn takes over file, a connected unix socket.
func Conn(file *os.File) (*net.UnixConn, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("use socket: %w", err)
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, fmt.Errorf("use socket: it is a %T, not a unix socket", conn)
	}
	return unixConn, nil
}

// Send writes data and attaches fds, which stay the caller's.
func Send(conn *net.UnixConn, data []byte, fds ...int) error {
	if len(fds) > Max {
		return fmt.Errorf("send descriptors: %d are more than %d", len(fds), Max)
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	n, _, err := conn.WriteMsgUnix(data, oob, nil)
	if err == nil && n < len(data) {
		_, err = conn.Write(data[n:])
	}
	if err != nil {
		return fmt.Errorf("send descriptors: %w", err)
	}
	return nil
}

// Reader is an io.Reader on a unix socket that keeps the descriptors that
// arrive with the bytes, and the kernel's word on who sent them.
type Reader struct {
	conn *net.UnixConn
	fds  []*os.File
	peer int
	oob  []byte
}

// NewReader reads from conn.
func NewReader(conn *net.UnixConn) *Reader {
	return &Reader{conn: conn, oob: make([]byte, unix.CmsgSpace(4*Max)+unix.CmsgSpace(unix.SizeofUcred))}
}

// Read implements io.Reader. More descriptors than Max, in one message or
// waiting to be taken, are an error: all of them are closed.
func (r *Reader) Read(p []byte) (int, error) {
	n, oobn, flags, _, err := r.conn.ReadMsgUnix(p, r.oob)
	if oobn > 0 {
		if parseErr := r.keep(r.oob[:oobn]); parseErr != nil {
			return 0, parseErr
		}
	}
	if flags&unix.MSG_CTRUNC != 0 || len(r.fds) > Max {
		r.Close()
		return 0, fmt.Errorf("receive descriptors: more than %d, or more than this process may have", Max)
	}
	if errors.Is(err, io.EOF) || (err == nil && n == 0 && len(p) > 0) {
		return n, io.EOF
	}
	return n, err
}

func (r *Reader) keep(oob []byte) error {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return fmt.Errorf("receive descriptors: %w", err)
	}
	for i := range messages {
		if sender, err := unix.ParseUnixCredentials(&messages[i]); err == nil {
			r.peer = int(sender.Pid)
			continue
		}
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue // another kind of control message carries no descriptor
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			r.fds = append(r.fds, os.NewFile(uintptr(fd), "received"))
		}
	}
	return nil
}

// Take returns the descriptors received so far, which become the caller's.
func (r *Reader) Take() []*os.File {
	fds := r.fds
	r.fds = nil
	return fds
}

// Close closes descriptors that nobody took. The socket is not touched.
func (r *Reader) Close() {
	for _, f := range r.Take() {
		f.Close()
	}
}

// KeepFromChildren makes every descriptor from first on close when this
// process executes another: whoever started it may have leaked some.
func KeepFromChildren(first int) error {
	if err := unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep descriptors from children: %w", err)
	}
	return nil
}

// Duplicate returns a second descriptor of fd, closed on exec from the first
// moment.
func Duplicate(fd int) (int, error) {
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("duplicate descriptor: %w", err)
	}
	return copied, nil
}
