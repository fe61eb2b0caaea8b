package seccomp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hostArch = AMD64

// foreignCall makes an i386 call without arguments through int 0x80, which Go
// has no way to write: mov eax, number; int 0x80; ret.
func foreignCall(number uint32) string {
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err.Error()
	}
	copy(code, []byte{0xb8, byte(number), byte(number >> 8), byte(number >> 16), byte(number >> 24), 0xcd, 0x80, 0xc3})
	entry := unsafe.Pointer(&code[0])
	closure := unsafe.Pointer(&entry)
	result := int64(int32((*(*func() uint64)(unsafe.Pointer(&closure)))()))
	if result < 0 && result > -4096 {
		return unix.ErrnoName(unix.Errno(-result))
	}
	return "ok"
}
