package seccomp

import (
	"encoding/binary"
	"errors"
	"fmt"
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

// word returns what a load from an offset in struct seccomp_data gives.
func (c call) word(offset uint32) (uint32, bool) {
	switch {
	case offset == offNumber:
		return c.number, true
	case offset == offArch:
		return c.audit, true
	case offset < offArgs || offset >= offArgs+48 || offset%4 != 0:
		return 0, false
	}
	return uint32(c.args[(offset-offArgs)/8] >> (offset % 8 * 8)), true
}

// follow returns the verdict by our own reading of the instruction words, and
// tells which way each instruction went. Operations that the filter does not
// need are errors: some would keep the kernel from its bitmap of allowed calls.
func follow(p Program, c call, went func(pc int, truth bool)) (Action, error) {
	var a uint32
	for pc := 0; pc < len(p); pc++ {
		ins := p[pc]
		truth := true
		skip := 0
		switch ins.Op {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			var ok bool
			if a, ok = c.word(ins.K); !ok {
				return 0, fmt.Errorf("instruction %d loads from %d", pc, ins.K)
			}
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= ins.K
		case unix.BPF_RET | unix.BPF_K:
			went(pc, true)
			return Action(ins.K), nil
		case unix.BPF_JMP | unix.BPF_JA:
			skip = int(ins.K)
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			truth, skip = a == ins.K, int(ins.Jt)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			truth, skip = a >= ins.K, int(ins.Jt)
		default:
			return 0, fmt.Errorf("instruction %d has operation %#x", pc, ins.Op)
		}
		if !truth {
			skip = int(ins.Jf)
		}
		went(pc, truth)
		pc += skip
	}
	return 0, errors.New("the program ran off its end")
}

// trace is follow, noting the ways.
func (m *machine) trace(t testing.TB, c call) Action {
	t.Helper()
	m.steps = 0
	got, err := follow(m.program, c, func(pc int, truth bool) {
		m.steps++
		if truth {
			m.taken[pc]++
		} else {
			m.passed[pc]++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// ways counts the ways through the program: two out of a comparison, one out
// of every other instruction.
func (m *machine) ways() int {
	n := len(m.program)
	for _, ins := range m.program {
		if comparison(ins) {
			n++
		}
	}
	return n
}

// uncovered names the ways that no run took.
func (m *machine) uncovered() []string {
	var out []string
	for pc, ins := range m.program {
		if m.taken[pc] == 0 {
			out = append(out, fmt.Sprintf("%d true", pc))
		}
		if comparison(ins) && m.passed[pc] == 0 {
			out = append(out, fmt.Sprintf("%d false", pc))
		}
	}
	return out
}

func comparison(ins bpf.RawInstruction) bool {
	return ins.Op&7 == unix.BPF_JMP && ins.Op&0xf0 != unix.BPF_JA
}

// reference says what a filter must do, in the plainest words.
func reference(p Profile, a Arch, c call) Action {
	audit, _ := a.audit()
	if c.audit != audit || a == AMD64 && c.number >= x32Bit {
		return Errno(unix.ENOSYS)
	}
	name := Name(a, c.number)
	if p.Session {
		switch name {
		case "kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpriority":
			return Notify
		case "prlimit64", "sched_setaffinity":
			if uint32(c.args[0]) != 0 {
				return Notify
			}
		}
	}
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
