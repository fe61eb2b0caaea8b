package seccomp

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What x/sys/unix lacks of linux/seccomp.h.
const (
	ioctlSetFlags = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS, Linux 6.6
)

// notifSizes are the sizes of the kernel's structs, which may grow: struct
// seccomp_notif_sizes.
type notifSizes struct{ notif, response, data uint16 }

// The sizes of the first version of the structs.
const (
	minNotif    = 80
	minResponse = 24
)

func kernelSizes() (notifSizes, error) {
	var s notifSizes
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&s)))
	if errno != 0 {
		return s, errno
	}
	s.notif = max(s.notif, minNotif)
	s.response = max(s.response, minResponse)
	return s, nil
}

// setSyncWakeUp asks the kernel to hand the processor over with each message,
// which halves the wait of a caller on the same core. Older kernels do not
// know it, and go on without.
func setSyncWakeUp(fd int) {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), ioctlSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

// An exchange holds the buffers of one notification and its answer.
type exchange struct{ notif, response []byte }

func newExchange(s notifSizes) *exchange {
	return &exchange{notif: make([]byte, s.notif), response: make([]byte, s.response)}
}

// A callNumber is a call as the kernel reports it.
type callNumber struct {
	arch   Arch
	number uint32
}

// receive takes a waiting call. The layout is struct seccomp_notif: id u64,
// pid u32, flags u32, then struct seccomp_data.
func (x *exchange) receive(fd int) (callNumber, [6]uint64, error) {
	clear(x.notif) // the kernel refuses a buffer that is not zero
	var args [6]uint64
	if err := ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, x.notif); err != nil {
		return callNumber{}, args, err
	}
	data := x.notif[16:]
	for i := range args {
		args[i] = binary.LittleEndian.Uint64(data[offArgs+8*i:])
	}
	c := callNumber{AMD64, binary.LittleEndian.Uint32(data[offNumber:])}
	if binary.LittleEndian.Uint32(data[offArch:]) == unix.AUDIT_ARCH_AARCH64 {
		c.arch = ARM64
	}
	return c, args, nil
}

// refuse answers the call that was received last. A caller that was killed
// meanwhile gives ENOENT, which is no concern of ours.
func (x *exchange) refuse(fd int, errno unix.Errno) {
	respond(fd, x.response, x.id(), Answer{Errno: errno})
}

// id is that of the call that was received last.
func (x *exchange) id() uint64 { return binary.LittleEndian.Uint64(x.notif) }

// caller is the thread that made it.
func (x *exchange) caller() int { return int(binary.LittleEndian.Uint32(x.notif[8:])) }

// respond answers a call. The layout is struct seccomp_notif_resp: id u64, val
// s64, error s32, flags u32. Only a judge's word sets the flag that lets a call
// through.
func respond(fd int, response []byte, id uint64, a Answer) {
	clear(response)
	binary.LittleEndian.PutUint64(response, id)
	if a.Continue {
		binary.LittleEndian.PutUint32(response[20:], unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE)
	} else {
		binary.LittleEndian.PutUint32(response[16:], uint32(-int32(a.Errno)))
	}
	_ = ioctl(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, response)
}

func ioctl(fd int, request uintptr, buffer []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&buffer[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
