package native

import (
	"encoding/binary"
	"fmt"
)

// agentBinary returns the program that is process 1 of every sandbox: it tells
// the kernel to reap its children by itself, and sleeps. It is written as
// machine code because it costs 0.15 ms and one page; the smallest Go program
// costs 1.5 ms and 1.5 MB, a sixth of everything else that a sandbox costs
// (docs/RATIONALE.md).
func agentBinary(arch string) ([]byte, error) {
	var code []byte
	var machine uint16
	switch arch {
	case "amd64":
		machine = 62
		code = []byte{
			0xb8, 13, 0, 0, 0, //             mov eax, rt_sigaction
			0xbf, 17, 0, 0, 0, //             mov edi, SIGCHLD
			0x48, 0x8d, 0x35, 19, 0, 0, 0, // lea rsi, [rip+action]
			0x31, 0xd2, //                    xor edx, edx
			0x41, 0xba, 8, 0, 0, 0, //        mov r10d, size of the mask
			0x0f, 0x05, //                    syscall
			0xb8, 34, 0, 0, 0, //             sleep: mov eax, pause
			0x0f, 0x05, //                    syscall
			0xeb, 0xf7, //                    jmp sleep
		}
	case "arm64":
		machine = 183
		code = words(
			0xd28010c8, // mov x8, rt_sigaction (134)
			0xd2800220, // mov x0, SIGCHLD (17)
			0x10000181, // adr x1, action (48 bytes on)
			0xd2800002, // mov x2, 0
			0xd2800103, // mov x3, size of the mask
			0xd4000001, // svc 0
			0xd2800928, // sleep: mov x8, ppoll (73)
			0xd2800000, // mov x0, 0
			0xd2800001, // mov x1, 0
			0xd2800002, // mov x2, 0
			0xd2800003, // mov x3, 0
			0xd4000001, // svc 0
			0x17fffffa, // b sleep
			0xd503201f, // align
		)
	default:
		return nil, fmt.Errorf("make agent: no machine code for %s", arch)
	}
	action := make([]byte, 32) // struct kernel_sigaction
	action[0] = 1              // SIG_IGN: children are reaped by the kernel
	return elf(machine, append(code, action...)), nil
}

func words(ws ...uint32) []byte {
	var b []byte
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// elf wraps code in a static executable of one readable, executable segment.
func elf(machine uint16, code []byte) []byte {
	const base, headers = 0x400000, 64 + 56
	size := uint64(headers + len(code))
	b := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	le := binary.LittleEndian
	b = le.AppendUint16(b, 2) // executable
	b = le.AppendUint16(b, machine)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, base+headers) // entry
	b = le.AppendUint64(b, 64)           // program headers
	b = le.AppendUint64(b, 0)            // no sections
	b = le.AppendUint32(b, 0)
	for _, half := range []uint16{64, 56, 1, 0, 0, 0} {
		b = le.AppendUint16(b, half)
	}
	b = le.AppendUint32(b, 1) // load
	b = le.AppendUint32(b, 5) // read, execute
	for _, word := range []uint64{0, base, base, size, size, 0x10000} {
		b = le.AppendUint64(b, word)
	}
	return append(b, code...)
}
