package seccomp

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Action is what a filter returns for a call: one of the kernel's
// SECCOMP_RET values, with an error number in the low half for
// SECCOMP_RET_ERRNO.
type Action uint32

// The actions of our filters.
const (
	Allow  Action = unix.SECCOMP_RET_ALLOW
	Notify Action = unix.SECCOMP_RET_USER_NOTIF
)

// Errno is the action that answers e without telling anybody.
func Errno(e unix.Errno) Action { return unix.SECCOMP_RET_ERRNO | Action(e) }

// String returns "allow", "notify", "errno EPERM" or the number.
func (a Action) String() string {
	switch {
	case a == Allow:
		return "allow"
	case a == Notify:
		return "notify"
	case a&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_ERRNO:
		return "errno " + unix.ErrnoName(unix.Errno(a&unix.SECCOMP_RET_DATA))
	}
	return fmt.Sprintf("action %#x", uint32(a))
}

// Program is a compiled filter, ready for the kernel.
type Program []bpf.RawInstruction

// sockFilterSize is that of the kernel's struct sock_filter.
const sockFilterSize = 8

// Bytes returns the program as an array of struct sock_filter, little endian:
// the memory that struct sock_fprog points at, of len(p) entries.
func (p Program) Bytes() []byte {
	b := make([]byte, 0, len(p)*sockFilterSize)
	for _, ins := range p {
		b = binary.LittleEndian.AppendUint16(b, ins.Op)
		b = append(b, ins.Jt, ins.Jf)
		b = binary.LittleEndian.AppendUint32(b, ins.K)
	}
	return b
}

// String is the program's disassembly, one instruction a line.
func (p Program) String() string {
	var s strings.Builder
	for i, raw := range p {
		fmt.Fprintf(&s, "%d\t%v\n", i, raw.Disassemble())
	}
	return s.String()
}
