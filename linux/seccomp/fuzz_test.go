package seccomp

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// FuzzCompileAnyList compiles lists that nobody wrote – other architectures'
// numbers, other conditions, any order and length – and holds the program to
// what the list says, by two machines.
func FuzzCompileAnyList(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 60, 0, 0, 0, 2, 255, 255, 255, 255, 3}, uint32(2), uint64(7))
	f.Add([]byte{5, 0, 0, 0, 40, 6, 0, 0, 0, 50, 7, 0, 0, 0, 60}, uint32(6), uint64(1)<<32|3)
	long := make([]byte, 0, 5*64)
	for n := range uint32(64) { // blocks that no comparison can jump over
		long = append(binary.LittleEndian.AppendUint32(long, 3*n), byte(100+n))
	}
	f.Add(long, uint32(96), uint64(9))
	f.Fuzz(func(t *testing.T, raw []byte, number uint32, arg uint64) {
		list, wants := anyList(raw[:min(len(raw), 5*150)], arg)
		code := slices.Concat(block{bpf.LoadAbsolute{Off: offNumber, Size: 4}}, search(layOut(list)))
		if len(code) > bpfMaxInstructions {
			return
		}
		program, err := bpf.Assemble(code)
		if err != nil {
			t.Fatalf("assemble: %v", err)
		}
		m := newMachine(t, program)
		numbers := []uint32{number, 0, ^uint32(0)}
		for n := range wants {
			numbers = append(numbers, n-1, n, n+1)
		}
		for _, n := range numbers {
			want, listed := wants[n]
			if !listed {
				want = Notify
			}
			c := call{number: n, args: [6]uint64{arg, arg, arg, arg, arg, arg}}
			if got, traced := m.run(t, c), m.trace(t, c); got != want || traced != want {
				t.Fatalf("call %d with argument %#x: %v and %v, want %v", n, arg, got, traced, want)
			}
		}
	})
}

// bpfMaxInstructions is the kernel's BPF_MAXINSNS.
const bpfMaxInstructions = 4096

// anyList reads calls of 5 bytes: the number and what decides about it. wants
// are their verdicts for arg; the first of equal numbers counts, as no table has
// two.
func anyList(raw []byte, arg uint64) (list []span, wants map[uint32]Action) {
	wants = map[uint32]Action{}
	for ; len(raw) >= 5; raw = raw[5:] {
		number, kind := binary.LittleEndian.Uint32(raw), raw[4]
		if _, known := wants[number]; known {
			continue
		}
		s := span{first: number}
		switch {
		case kind == 0:
			s.code, wants[number] = returns(Allow), Allow
		case kind == 1:
			s.code, wants[number] = returns(Notify), Notify
		case kind < 40:
			action := Errno(unix.Errno(kind))
			s.code, wants[number] = returns(action), action
		default:
			c := anyCondition(kind)
			s.code, wants[number] = c.compile(Profile{}), c.want(arg)
		}
		list = append(list, s)
	}
	return list, wants
}

// anyCondition is one of many, with up to 40 values.
func anyCondition(kind byte) condition {
	c := condition{arg: int(kind % 6), mask: exactly, errno: unix.Errno(1 + kind%100), quiet: kind%2 == 0}
	if kind%3 == 0 {
		c.mask = 0xff
	}
	for v := range uint32(1 + kind%40) {
		c.values = append(c.values, v*7)
	}
	return c
}

// want is what a condition says, read without the compiler.
func (c condition) want(arg uint64) Action {
	if slices.Contains(c.values, uint32(arg)&c.mask) {
		return Allow
	}
	if c.quiet {
		return Errno(c.errno)
	}
	return Notify
}
