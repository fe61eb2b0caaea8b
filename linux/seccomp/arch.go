package seccomp

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Arch is an architecture, by its Go name.
type Arch string

// The architectures that have a filter.
const (
	AMD64 Arch = "amd64"
	ARM64 Arch = "arm64"
)

// x32Bit marks the numbers of the x32 ABI. It shares the audit architecture of
// amd64, so the number alone tells it apart.
const x32Bit = 0x40000000

// audit returns the kernel's AUDIT_ARCH value, and false for an architecture
// without a filter.
func (a Arch) audit() (uint32, bool) {
	switch a {
	case AMD64:
		return unix.AUDIT_ARCH_X86_64, true
	case ARM64:
		return unix.AUDIT_ARCH_AARCH64, true
	}
	return 0, false
}

// number returns the number of an entry on a, or absent.
func (a Arch) number(e entry) int {
	if a == ARM64 {
		return e.arm64
	}
	return e.amd64
}

// Name returns the name of a call number, and "syscall_N" for a number that
// the table does not know.
func Name(a Arch, nr uint32) string {
	for _, e := range table {
		if n := a.number(e); n != absent && uint32(n) == nr {
			return e.name
		}
	}
	return fmt.Sprintf("syscall_%d", nr)
}
