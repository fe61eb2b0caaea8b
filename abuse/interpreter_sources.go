package abuse

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

const deep = "nested" // what is said of text that no compiler takes for its depth

// sources are attempts on whoever reads the text before it runs: by its depth,
// its size, and by what is costly to compile.
func sources() []Case {
	return []Case{
		{
			ID: "D97", Title: "text that is nested too deeply", Boundary: "text is compiled behind the wall only, on a stack of 8 MiB", Runs: len(nested()),
			Attack: program(nested()), Control: Control{Harness: "harness_checker.py", Runs: 1, Shows: []string{"checker"}}, Sibling: nestsALittle(),
		},
		{
			ID: "D98", Title: "more text than anybody writes", Boundary: "size cap before anything is parsed", Runs: len(large()),
			Attack:  program(large()),
			Control: Control{Harness: "harness_checker.py", Runs: 1, Shows: []string{"size"}},
			Sibling: Program{Text: atTheCap, Expect: Expect{Prints: []string{"ADMITTED 99000"}}},
		},
		{
			ID: "D102", Title: "text that is costly to compile", Boundary: "text is compiled behind the wall only, within the run's limits", Runs: len(towers()),
			Attack: costly(), Control: Control{Harness: "harness_checker.py", Runs: 1, Shows: []string{"checker"}}, Sibling: nestsALittle(),
		},
	}
}

// The lists are made when they are asked for: this room is part of every program,
// and they are megabytes.

// nested are what CPython 3.11 to 3.13 answer with SyntaxError, RecursionError,
// MemoryError, or on a small stack with a segmentation fault.
func nested() []text {
	return []text{
		{source: "x = " + strings.Repeat("-", 2_900) + "1\nprint('MEANT', x)", says: deep, prints: "MEANT 1", either: true},
		{source: "x = " + strings.Repeat("-", 5_000) + "1\nprint('MEANT', x)", says: deep, prints: "MEANT 1", either: true},
		{source: strings.Repeat("(", 99_000), says: deep},
		{source: "x = " + strings.Repeat("-", 95_000) + "1", says: deep},
		{source: "f = " + strings.Repeat("lambda:", 5_000) + "1", says: deep},
		{source: "if 0: x" + strings.Repeat(".b", 40_000), says: deep},
		{source: "x = " + strings.Repeat("1+", 45_000) + "1", says: deep},
	}
}

// large are above the cap of 100,000 characters.
func large() []text {
	return []text{
		{source: "print('ESCAPED size it ran')\nx = [" + strings.Repeat("1,", 2_000_000) + "]", rule: "code_size"},
		{source: "print('ESCAPED size it ran')\nx = '" + strings.Repeat("a", 10_000_000) + "'", rule: "code_size"},
		{source: strings.Repeat("print('ESCAPED size it ran')\n", 200_000), rule: "code_size"},
		{source: "print('ESCAPED size it ran')\n#" + strings.Repeat("\u56fe", int(cellwall.MaxCodeBytes)), rule: "code_size"},
	}
}

// atTheCap has as many characters as are allowed, and three times the bytes.
func atTheCap(World) string {
	const head, end = "x = '", "'\nprint('ADMITTED', len(x))"
	return head + strings.Repeat("\u56fe", 99_000) + end + strings.Repeat(" ", cellwall.MaxCodeBytes-99_000-len(head)-len(end))
}

// towers are within the cap and cost what they can. The last would need minutes
// if it were folded while it is compiled.
func towers() []text {
	return []text{
		{source: "if 0: 0\n" + strings.Repeat("elif 0:0\n", 9_900), says: deep},
		{source: "x = " + strings.Repeat("9", 5_000), says: "4300 digits"},
		{source: "match 1:\n case " + strings.Repeat("1|", 40_000) + "1: print('MEANT or')", prints: "MEANT or"},
		{source: tower("class A:"), says: deep, prints: "MEANT tower", either: true},
		{source: strings.Repeat("@staticmethod\n", 6_000) + "def f(): pass\nprint('MEANT decorated')", prints: "MEANT decorated", says: deep, either: true},
		{source: "x = 1\ny = " + strings.Repeat("f\"{", 140) + "x" + strings.Repeat("}\"", 140) + "\nprint('MEANT', y)", says: deep, prints: "MEANT 1", either: true},
		{source: "if 0:\n  x = 2**10**9 + (1 << 10**10) + len('a' * 10**10) + 10**10**7\nprint('MEANT folded')", prints: "MEANT folded"},
	}
}

// tower nests a statement as deep as indentation goes.
func tower(head string) string {
	var b strings.Builder
	for i := range 98 {
		b.WriteString(strings.Repeat(" ", i) + head + "\n")
	}
	return b.String() + strings.Repeat(" ", 98) + "pass\nprint('MEANT tower')"
}

// costly gives the towers a bound in time of the processor.
func costly() Program {
	const most = 5000 // ms
	p := program(towers())
	p.Limits = cellwall.Limits{Timeout: guard}
	meant := p.Expect.Judge
	p.Expect.Judge = func(o Outcome) []Problem {
		bad := meant(o)
		if took := o.Result.Usage.CPUMS; took > most*max(1, o.World.Slow) {
			bad = append(bad, Problem(fmt.Sprintf("compiling took %.0f ms of processor time, want at most %d", took, most)))
		}
		return bad
	}
	return p
}

// nestsALittle is what people and their tools write.
func nestsALittle() Program {
	return Program{
		Text: func(World) string {
			return "x = 7\n" + "if x == 0: y = 0\n" + strings.Repeat("elif x == -1: y = 1\n", 500) + "else: y = 2\n" +
				"z = " + strings.Repeat("(", 60) + "y" + strings.Repeat(")", 60) + strings.Repeat(" + 1", 500) + "\nprint('ADMITTED', z)"
		},
		Expect: Expect{Prints: []string{"ADMITTED 502"}},
	}
}
