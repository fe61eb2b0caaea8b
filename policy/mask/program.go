package mask

import "regexp/syntax"

// fewSteps bounds what package regexp may do in vain for each character of a text, beside
// reading it twice.
const fewSteps = 64

// program is an expression as [search] reads it: the instructions that package regexp
// works with too, and the ways back.
type program struct {
	steps  []syntax.Inst
	few    int // matches in a text that package regexp may be asked for
	start  uint32
	match  uint32
	looks  bool       // it has conditions on what stands around a place: ^ $ \b \B
	silent [][]uint32 // of each step those that go on to it and read nothing
	reads  [][]uint32 // of each step those that go on to it by reading a character
}

// newProgram reads an expression as regexp.Compile does.
func newProgram(text string) (*program, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	made, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	n := len(made.Inst)
	p := &program{steps: made.Inst, start: uint32(made.Start), silent: make([][]uint32, n), reads: make([][]uint32, n)}
	p.few = 1 + fewSteps/n
	for i, step := range made.Inst {
		at := uint32(i)
		switch step.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			p.silent[step.Out] = append(p.silent[step.Out], at)
			p.silent[step.Arg] = append(p.silent[step.Arg], at)
		case syntax.InstEmptyWidth:
			p.looks = true
			p.silent[step.Out] = append(p.silent[step.Out], at)
		case syntax.InstCapture, syntax.InstNop:
			p.silent[step.Out] = append(p.silent[step.Out], at)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			p.reads[step.Out] = append(p.reads[step.Out], at)
		case syntax.InstMatch:
			p.match = at
		case syntax.InstFail:
		}
	}
	return p, nil
}

// takes reports whether a step that reads a character reads this one.
func (p *program) takes(step uint32, r rune) bool {
	switch i := &p.steps[step]; i.Op {
	case syntax.InstRune1:
		return r == i.Rune[0]
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	default:
		return i.MatchRune(r)
	}
}
