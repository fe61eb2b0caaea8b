package seccomp

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. An argument is 64 bits, little endian on
// both architectures, so its low half comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// A block is code that ends in a return on every way through it, so that
// blocks can be put one after the other and jumped over.
type block []bpf.Instruction

// A span is a range of call numbers, up to the next span, with one block.
type span struct {
	first uint32
	code  block
}

// Compile assembles the filter of a profile for an architecture. It fails for
// an architecture that has none.
func Compile(p Profile, a Arch) (Program, error) {
	audit, ok := a.audit()
	if !ok {
		return nil, fmt.Errorf("compile filter: no call table for architecture %q", a)
	}
	foreign := returns(Errno(unix.ENOSYS))
	calls := search(layOut(verdicts(p, a)))
	if a == AMD64 {
		calls = branch(bpf.JumpGreaterOrEqual, x32Bit, foreign, calls)
	}
	code := slices.Concat(
		block{bpf.LoadAbsolute{Off: offArch, Size: 4}},
		branch(bpf.JumpEqual, audit, append(block{bpf.LoadAbsolute{Off: offNumber, Size: 4}}, calls...), foreign),
	)
	raw, err := bpf.Assemble(code)
	if err != nil {
		return nil, fmt.Errorf("assemble filter: %w", err)
	}
	return raw, nil
}

// lastNumber ends the number line.
const lastNumber = ^uint32(0)

// layOut covers the number line: one span for each run of numbers with the same
// verdict. What no call of the list has is told to the supervisor.
func layOut(list []span) []span {
	slices.SortFunc(list, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	unlisted := returns(Notify)
	out := []span{{0, unlisted}}
	add := func(s span) {
		last := &out[len(out)-1]
		switch {
		case slices.Equal(last.code, s.code):
		case last.first == s.first:
			*last = s
		default:
			out = append(out, s)
		}
	}
	for _, s := range list {
		add(s)
		if s.first != lastNumber {
			add(span{s.first + 1, unlisted})
		}
	}
	return merge(out)
}

// merge joins neighbours with the same code.
func merge(list []span) []span {
	return slices.CompactFunc(list, func(x, y span) bool { return slices.Equal(x.code, y.code) })
}

// verdicts gives each listed call of an architecture its block.
func verdicts(p Profile, a Arch) []span {
	code := make(map[string]block)
	for _, name := range allowed {
		code[name] = returns(Allow)
	}
	for _, q := range quiet {
		code[q.call] = returns(Errno(q.errno))
	}
	for _, c := range conditions {
		code[c.call] = c.compile(p)
	}
	if p.Session {
		for _, j := range judged {
			code[j.call] = j.compile()
		}
	}
	var out []span
	for _, e := range table {
		n := a.number(e)
		if b, ok := code[e.name]; ok && n != absent {
			out = append(out, span{uint32(n), b})
		}
	}
	return out
}

// compile turns a condition into code.
func (c condition) compile(p Profile) block {
	code := block{bpf.LoadAbsolute{Off: offArgs + 8*uint32(c.arg), Size: 4}}
	if c.mask != exactly {
		code = append(code, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask})
	}
	values := c.permitted(p)
	for i, v := range values {
		// Over the other comparisons and the refusal, to the last instruction.
		code = append(code, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	refusal := Notify
	if c.quiet {
		refusal = Errno(c.errno)
	}
	return slices.Concat(code, returns(refusal), returns(Allow))
}

// search finds the span of the loaded number by halving.
func search(list []span) block {
	switch {
	case len(list) == 1:
		return list[0].code
	case len(list) == 3 && list[2].first == list[1].first+1 && slices.Equal(list[0].code, list[2].code):
		// A single number among others: one comparison instead of two.
		return branch(bpf.JumpEqual, list[1].first, list[1].code, list[0].code)
	}
	half := len(list) / 2
	return branch(bpf.JumpGreaterOrEqual, list[half].first, search(list[half:]), search(list[:half]))
}

// branch continues with yes when the loaded value compares true with v, and
// with no otherwise. The two follow it in that order; a jump over more than 255
// instructions, the most that a comparison can do, takes a second step.
func branch(test bpf.JumpTest, v uint32, yes, no block) block {
	if len(yes) <= 255 {
		return slices.Concat(block{bpf.JumpIf{Cond: test, Val: v, SkipFalse: uint8(len(yes))}}, yes, no)
	}
	return slices.Concat(block{
		bpf.JumpIf{Cond: test, Val: v, SkipTrue: 1},
		bpf.Jump{Skip: uint32(len(yes))},
	}, yes, no)
}

// returns is the block of a verdict.
func returns(a Action) block { return block{bpf.RetConstant{Val: uint32(a)}} }
