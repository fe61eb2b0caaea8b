package backendtest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"syscall"
	"unsafe"
)

// internet are the addresses that the outer cell's loopback answers for: what
// stands for the wide network, a local one, a gateway and a cloud's metadata.
var internet = []string{"192.0.2.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "172.17.0.1"}

// ifreq is struct ifreq with either flags or an address in its union.
type ifreq struct {
	name [16]byte
	data [24]byte
}

// plugIn brings loopback up and gives it the addresses.
func plugIn() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	defer syscall.Close(fd)
	up := ifreq{}
	copy(up.name[:], "lo")
	binary.NativeEndian.PutUint16(up.data[:], syscall.IFF_UP|syscall.IFF_RUNNING)
	if err := ioctl(fd, syscall.SIOCSIFFLAGS, &up); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	for i, address := range internet {
		r := ifreq{}
		copy(r.name[:], fmt.Sprintf("lo:%d", i+1))
		binary.NativeEndian.PutUint16(r.data[:], syscall.AF_INET)
		copy(r.data[4:], net.ParseIP(address).To4())
		if err := ioctl(fd, syscall.SIOCSIFADDR, &r); err != nil {
			return fmt.Errorf("add address %s: %w", address, err)
		}
	}
	return nil
}

func ioctl(fd int, request uintptr, r *ifreq) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(r)))
	if errno != 0 {
		return errno
	}
	return nil
}

// serveNames answers every DNS question for an address with the first of the
// internet, over UDP and TCP.
func serveNames() error {
	udp, err := net.ListenPacket("udp4", "127.0.0.1:53")
	if err != nil {
		return fmt.Errorf("serve names: %w", err)
	}
	tcp, err := net.Listen("tcp4", "127.0.0.1:53")
	if err != nil {
		return fmt.Errorf("serve names: %w", err)
	}
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			if a := answerName(buf[:n]); a != nil {
				udp.WriteTo(a, from)
			}
		}
	}()
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			answerStream(conn)
		}
	}()
	return nil
}

func answerStream(conn net.Conn) {
	defer conn.Close()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	if a := answerName(question); a != nil {
		conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
	}
}

// answerName builds the answer to a question: its header with one answer, the
// question, and an A record; nothing but the question for other types.
func answerName(q []byte) []byte {
	const header = 12
	end := header
	for end < len(q) && q[end] != 0 {
		end += int(q[end]) + 1
	}
	end += 5 // the root label, type and class
	if len(q) < end || end < header+5 {
		return nil
	}
	a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[header:end]...)
	if binary.BigEndian.Uint16(q[end-4:]) == 1 {
		a[7] = 1
		a = append(a, 0xc0, header, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		a = append(a, net.ParseIP(internet[0]).To4()...)
	}
	return a
}
