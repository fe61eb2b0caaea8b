package fdpass

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// PassCredentials has the kernel tell with everything that arrives on conn who
// sent it, see [Reader.Peer]. Set it before the other end is given away: what
// was sent before is not told.
func PassCredentials(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("ask for senders: %w", err)
	}
	var set error
	if err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
	}); err != nil {
		return fmt.Errorf("ask for senders: %w", err)
	}
	if set != nil {
		return fmt.Errorf("ask for senders: %w", set)
	}
	return nil
}

// Peer returns the number, as this process counts, of the process that sent
// what was read last; false when the kernel did not say, or when the sender has
// no number here. It is the number of then: the process may have ended, and
// somebody else may have it by now.
func (r *Reader) Peer() (pid int, ok bool) { return r.peer, r.peer > 0 }
