package seccomp

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A call is what the kernel shows to a filter: struct seccomp_data.
type call struct {
	audit, number uint32
	args          [6]uint64
}

// packet lays a call out for package bpf, which loads words big endian, so
// that its machine, which nobody here wrote, can judge our programs.
func (c call) packet() []byte {
	b := make([]byte, 64)
	binary.BigEndian.PutUint32(b[offNumber:], c.number)
	binary.BigEndian.PutUint32(b[offArch:], c.audit)
	for i, a := range c.args {
		binary.BigEndian.PutUint32(b[offArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(b[offArgs+8*i+4:], uint32(a>>32))
	}
	return b
}

// A machine runs a program.
type machine struct {
	program Program
	vm      *bpf.VM
	// taken and passed count, per instruction, how often it ran and, for a
	// comparison, came out true and false.
	taken, passed []int
	steps         int // of the last run
}

func newMachine(t testing.TB, p Program) *machine {
	t.Helper()
	code, ok := bpf.Disassemble(p)
	if !ok {
		t.Fatal("the program has instructions that package bpf does not know")
	}
	vm, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{program: p, vm: vm, taken: make([]int, len(p)), passed: make([]int, len(p))}
}

// run returns the verdict of package bpf's machine.
func (m *machine) run(t testing.TB, c call) Action {
	t.Helper()
	n, err := m.vm.Run(c.packet())
	if err != nil {
		t.Fatal(err)
	}
	return Action(n)
}

// trace returns the verdict by our own reading of the instruction words, and
// notes which ways it went.
func (m *machine) trace(t testing.TB, c call) Action {
	t.Helper()
	data := c.packet()
	var a uint32
	m.steps = 0
	for pc := 0; pc < len(m.program); pc++ {
		m.steps++
		ins := m.program[pc]
		var truth bool
		switch ins.Op {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = binary.BigEndian.Uint32(data[ins.K:])
			m.taken[pc]++
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= ins.K
			m.taken[pc]++
			continue
		case unix.BPF_RET | unix.BPF_K:
			m.taken[pc]++
			return Action(ins.K)
		case unix.BPF_JMP | unix.BPF_JA:
			m.taken[pc]++
			pc += int(ins.K)
			continue
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			truth = a == ins.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			truth = a >= ins.K
		default:
			// Others would keep the kernel from its bitmap of allowed calls.
			t.Fatalf("instruction %d has operation %#x, which the filter does not need", pc, ins.Op)
		}
		if truth {
			m.taken[pc]++
			pc += int(ins.Jt)
		} else {
			m.passed[pc]++
			pc += int(ins.Jf)
		}
	}
	t.Fatal("the program ran off its end")
	return 0
}

// uncovered returns the instructions and ways that no run took.
func (m *machine) uncovered() []int {
	var out []int
	for pc, ins := range m.program {
		comparison := ins.Op&7 == unix.BPF_JMP && ins.Op&0xf0 != unix.BPF_JA
		if m.taken[pc] == 0 || comparison && m.passed[pc] == 0 {
			out = append(out, pc)
		}
	}
	return out
}

// reference says what a filter must do, in the plainest words.
func reference(p Profile, a Arch, c call) Action {
	audit, _ := a.audit()
	if c.audit != audit || a == AMD64 && c.number >= x32Bit {
		return Errno(unix.ENOSYS)
	}
	name := Name(a, c.number)
	if slices.Contains(allowed, name) {
		return Allow
	}
	for _, q := range quiet {
		if q.call == name {
			return Errno(q.errno)
		}
	}
	for _, cond := range conditions {
		if cond.call != name {
			continue
		}
		v := uint32(c.args[cond.arg]) & cond.mask
		switch {
		case slices.Contains(cond.values, v), p.Shell && slices.Contains(cond.shell, v):
			return Allow
		case cond.quiet:
			return Errno(cond.errno)
		}
	}
	return Notify
}
