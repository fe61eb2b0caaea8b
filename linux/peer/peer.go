package peer

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Credentials are those of a process when it connected.
type Credentials struct {
	PID int // 0 = it has no number in this process's pid namespace
	UID int
	GID int
}

// Of returns who connected conn.
func Of(conn *net.UnixConn) (Credentials, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Credentials{}, fmt.Errorf("ask for peer: %w", err)
	}
	var who *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		who, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return Credentials{}, fmt.Errorf("ask for peer: %w", err)
	}
	if failed != nil {
		return Credentials{}, fmt.Errorf("ask for peer: %w", failed)
	}
	return Credentials{PID: int(who.Pid), UID: int(who.Uid), GID: int(who.Gid)}, nil
}
