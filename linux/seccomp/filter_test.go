package seccomp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	auditI386 = unix.AUDIT_ARCH_I386
	auditARM  = unix.AUDIT_ARCH_ARM
	sweepEnd  = 600
)

func compileFor(t testing.TB, p Profile, a Arch) Program {
	t.Helper()
	prog, err := Compile(p, a)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// interesting returns argument values around everything that a condition on
// the call looks at: each value of either profile, its neighbours, the same
// with the upper half set, and each single bit.
func interesting(name string) []uint64 {
	c, ok := conditionOf(name)
	if !ok {
		return []uint64{0, 1, 1 << 32, ^uint64(0)}
	}
	var out []uint64
	for _, v := range slices.Concat(c.values, c.shell) {
		for _, w := range []uint32{v - 1, v, v + 1} {
			out = append(out, uint64(w), uint64(w)|1<<32, uint64(w)|0xffffffff<<32)
		}
	}
	for bit := range 64 {
		out = append(out, 1<<bit)
	}
	return append(out, 0, ^uint64(0))
}

// sweep visits the call numbers of all ABIs with every argument that a
// condition could tell apart.
func sweep(a Arch, visit func(call)) {
	audit, _ := a.audit()
	for nr := range uint32(sweepEnd + 1) {
		for _, c := range []call{
			{audit: auditI386, number: nr},
			{audit: auditARM, number: nr},
			{audit: 0, number: nr},
			{audit: audit, number: nr | x32Bit},
			{audit: audit, number: x32Bit - 1 - nr},
			{audit: audit, number: nr | 0x80000000},
			{audit: audit, number: ^nr},
		} {
			visit(c)
		}
		for _, v := range interesting(Name(a, nr)) {
			for i := range 6 {
				c := call{audit: audit, number: nr}
				c.args[i] = v
				visit(c)
			}
		}
	}
}

// TestP16_EveryNumberOfEveryABIMeetsItsVerdict compares three readings of the
// filter over the whole sweep, and demands that it went every way in it.
func TestP16_EveryNumberOfEveryABIMeetsItsVerdict(t *testing.T) {
	for _, a := range []Arch{AMD64, ARM64} {
		for _, p := range []Profile{{}, {Shell: true}, {Session: true}} {
			t.Run(fmt.Sprintf("%s/shell=%v/session=%v", a, p.Shell, p.Session), func(t *testing.T) {
				m := newMachine(t, compileFor(t, p, a))
				audit, _ := a.audit()
				calls := 0
				sweep(a, func(c call) {
					calls++
					check(t, m, p, a, c)
					if a == AMD64 && (c.audit != audit || c.number >= x32Bit) && m.run(t, c) != Errno(unix.ENOSYS) {
						t.Fatalf("foreign call %+v answers %v, not ENOSYS", c, m.run(t, c))
					}
				})
				all, missed := m.ways(), m.uncovered()
				t.Logf("%d calls took %d of %d ways through %d instructions: branch coverage %.0f %%",
					calls, all-len(missed), all, len(m.program), 100*float64(all-len(missed))/float64(all))
				if len(missed) > 0 {
					t.Errorf("no call takes %v of\n%v", missed, m.program)
				}
			})
		}
	}
}

// TestP16_TheSweepSeesEveryWrongInstruction is the control of the sweep: each
// instruction is put wrong in each way that its kind can be, one at a time,
// and the sweep must tell the result from the lists.
func TestP16_TheSweepSeesEveryWrongInstruction(t *testing.T) {
	for _, a := range []Arch{AMD64, ARM64} {
		t.Run(string(a), func(t *testing.T) {
			right := compileFor(t, Profile{}, a)
			type judged struct {
				call
				want Action
			}
			var calls []judged
			sweep(a, func(c call) { calls = append(calls, judged{c, reference(Profile{}, a, c)}) })
			wrong := 0
			for pc := range right {
				for _, either := range mutants(right[pc]) {
					wrong++
					if !slices.ContainsFunc(either, func(ins bpf.RawInstruction) bool {
						program := slices.Clone(right)
						program[pc] = ins
						return slices.ContainsFunc(calls, func(c judged) bool {
							got, err := follow(program, c.call, func(int, bool) {})
							return err != nil || got != c.want
						})
					}) {
						t.Errorf("instruction %d as %+v instead of %+v is not noticed", pc, either, right[pc])
					}
				}
			}
			t.Logf("%d wrong programs seen by %d calls", wrong, len(calls))
		})
	}
}

// mutants are the ways to put an instruction wrong that stay within the
// program: another word is loaded, compared, masked or returned, and the two
// ways of a comparison are exchanged. A border between numbers may move to one
// side without any change, where a lone number stands beside it; of the two
// sides one must be noticed.
func mutants(ins bpf.RawInstruction) [][]bpf.RawInstruction {
	more, less, turned := ins, ins, ins
	more.K++
	less.K--
	turned.Jt, turned.Jf = ins.Jf, ins.Jt
	switch {
	case ins.Op&7 == unix.BPF_LD:
		more.K = ins.K ^ 4 // the other half, or architecture for number
		return [][]bpf.RawInstruction{{more}}
	case ins.Op&0xf0 == unix.BPF_JGE && comparison(ins):
		return [][]bpf.RawInstruction{{more, less}, {turned}}
	case comparison(ins):
		return [][]bpf.RawInstruction{{more}, {less}, {turned}}
	case ins.Op&7 == unix.BPF_JMP:
		return [][]bpf.RawInstruction{{less}}
	}
	return [][]bpf.RawInstruction{{more}} // a mask or an answer
}

func check(t testing.TB, m *machine, p Profile, a Arch, c call) {
	t.Helper()
	want := reference(p, a, c)
	if got := m.run(t, c); got != want {
		t.Fatalf("%s%x of ABI %#x: filter says %v, lists say %v", Name(a, c.number), c.args, c.audit, got, want)
	}
	if got := m.trace(t, c); got != want {
		t.Fatalf("%s%x of ABI %#x: second reading says %v, lists say %v", Name(a, c.number), c.args, c.audit, got, want)
	}
	if want == Notify {
		if _, errno := Refusal(a, c.number, c.args); errno == 0 {
			t.Fatalf("%s%x is refused with success", Name(a, c.number), c.args)
		}
	}
}

// TestGolden shows every change of a filter as a change of a file.
func TestGolden(t *testing.T) {
	for _, a := range []Arch{AMD64, ARM64} {
		t.Run(string(a), func(t *testing.T) {
			path := filepath.Join("testdata", "filter_"+string(a)+".golden")
			got := describe(t, a)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the filter changed; if that is meant, run go test -update and review the difference of %s", path)
			}
		})
	}
}

// describe tables number, name and verdict, as the compiled filter gives it.
func describe(t *testing.T, a Arch) string {
	m := newMachine(t, compileFor(t, Profile{}, a))
	audit, _ := a.audit()
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: number, name, verdict of the filter, answer to a refused call. %d and up: ENOSYS.\n", a, sweepEnd+1)
	for nr := range uint32(sweepEnd + 1) {
		name := Name(a, nr)
		fmt.Fprintf(&s, "%d\t%s\t", nr, name)
		if c, ok := conditionOf(name); ok {
			otherwise := "notify " + unix.ErrnoName(c.errno)
			if c.quiet {
				otherwise = Errno(c.errno).String()
			}
			fmt.Fprintf(&s, "allow if arg%d&%#x in %#x, with a shell also %#x, else %s\n", c.arg, c.mask, c.values, c.shell, otherwise)
			continue
		}
		verdict := m.run(t, call{audit: audit, number: nr})
		fmt.Fprint(&s, verdict)
		if verdict == Notify {
			_, errno := Refusal(a, nr, [6]uint64{})
			fmt.Fprint(&s, " ", unix.ErrnoName(errno))
		}
		fmt.Fprintln(&s)
	}
	return s.String()
}

// TestProgramIsShort keeps a call's way through the filter, and the filter,
// short. Conditions come last on that way.
func TestProgramIsShort(t *testing.T) {
	p := compileFor(t, Profile{}, AMD64)
	m := newMachine(t, p)
	longest := 0
	for nr := range uint32(sweepEnd) {
		if _, conditional := conditionOf(Name(AMD64, nr)); !conditional {
			m.trace(t, call{audit: unix.AUDIT_ARCH_X86_64, number: nr})
			longest = max(longest, m.steps)
		}
	}
	t.Logf("%d instructions, at most %d steps to an unconditional verdict", len(p), longest)
	if longest > 16 || len(p) > 600 {
		t.Errorf("%d instructions, %d steps: no balanced tree of this list is that long", len(p), longest)
	}
	if got := len(p.Bytes()); got != len(p)*sockFilterSize {
		t.Errorf("%d instructions take %d bytes", len(p), got)
	}
}

func TestCompileRefusesUnknownArchitecture(t *testing.T) {
	if _, err := Compile(Profile{}, "mips"); err == nil {
		t.Fatal("a filter for an architecture without a table")
	}
}

// FuzzFilterMatchesReference compares the compiled filter with its lists.
func FuzzFilterMatchesReference(f *testing.F) {
	for _, nr := range []uint32{0, 16, 41, 56, 59, 72, 157, 435, 500, x32Bit | 1, ^uint32(0)} {
		f.Add(uint32(unix.AUDIT_ARCH_X86_64), nr, uint64(2), uint64(0), uint64(3), uint64(1)<<40, true, false)
		f.Add(uint32(unix.AUDIT_ARCH_AARCH64), nr, uint64(1), uint64(1033), ^uint64(0), uint64(1), false, true)
	}
	machines := make(map[string]*machine)
	for _, a := range []Arch{AMD64, ARM64} {
		for _, shell := range []bool{false, true} {
			machines[fmt.Sprint(a, shell)] = newMachine(f, compileFor(f, Profile{Shell: shell}, a))
		}
	}
	f.Fuzz(func(t *testing.T, audit, nr uint32, a0, a1, a2, a3 uint64, shell, arm bool) {
		a := AMD64
		if arm {
			a = ARM64
		}
		c := call{audit, nr, [6]uint64{a0, a1, a2, a3}}
		check(t, machines[fmt.Sprint(a, shell)], Profile{Shell: shell}, a, c)
		own, _ := a.audit()
		c.audit = own
		check(t, machines[fmt.Sprint(a, shell)], Profile{Shell: shell}, a, c)
	})
}
