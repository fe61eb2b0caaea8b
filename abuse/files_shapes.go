package abuse

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// shapes are files whose name, depth, size or mode is the attack.
func shapes() []Case {
	return []Case{
		{
			ID: "F21", Title: "names that break lists and terminals", Boundary: "names are shown escaped",
			Attack:  Program{File: "F21.py", Expect: Expect{Prints: []string{"MADE 25"}, Judge: namesArePlain(25)}},
			Control: Control{Judge: rawNames("\x1b", "\n", "\u202e")},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F22", Title: "names that are no text", Boundary: "names are bytes, shown escaped",
			Attack: Program{File: "F22.py", Expect: Expect{
				Prints: []string{"MADE 5"}, Kept: []string{"plain.txt"}, Skipped: []string{`bad\xff\xfename.csv`, `\x80`, `half\xe4\xb8.txt`},
				Judge: namesArePlain(5),
			}},
			Control: Control{Judge: rawNames("\ufffd")},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F23", Title: "a tree deeper than any path", Boundary: "bounded walk",
			Attack: Program{File: "F23.py", Limits: cellwall.Limits{WorkspaceInodes: 2048}, Expect: Expect{
				Prints: []string{"DEEP True"}, Kept: []string{"plain.txt"}, Skipped: []string{strings.Repeat("d/", 33)},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stdout, "DEEP True") {
					return []Problem{"no deep tree came to be"}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F25", Title: "files that say they are large and hold nothing", Boundary: "apparent sizes count",
			Attack: Program{File: "F25.py", Expect: Expect{
				Prints: []string{"SIZES True"}, Kept: []string{"plain.txt"},
				Judge: func(o Outcome) []Problem {
					return append(noneOf(o, "sparse.bin", "half.bin"), withinCaps(o, cellwall.DefaultLimits())...)
				},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if x.Files["sparse.bin"].Size < 1<<30 && x.Files["half.bin"].Size < 1<<30 {
					return []Problem{"no sparse file came to be"}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F26", Title: "files that grow and shrink while they are read", Boundary: "harvest after every process is dead",
			Attack: Program{File: "F26.py", Expect: Expect{
				Prints: []string{"CHANGING"}, Kept: []string{"plain.txt"}, Within: guard,
				Judge: func(o Outcome) []Problem { return append(wholeFiles(o), withinCaps(o, cellwall.DefaultLimits())...) },
			}},
			Control: Control{Harness: "harness_sizer.py", Shows: []string{"grew", "shrank"}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F29", Title: "trees that cannot be listed or removed", Boundary: "cleaning up is dropping a mount",
			Attack: Program{File: "F29.py", Expect: Expect{
				Held: []string{"immutable"}, Prints: []string{"TREES 20 23"}, Kept: []string{"a.txt"}, Within: guard,
				Judge: func(o Outcome) []Problem {
					return append(toldOf(o, "closed0/", "closed19/", "unreadable.csv", "x-crowd/"), withinCaps(o, cellwall.DefaultLimits())...)
				},
			}},
			Control: Control{Harness: "harness_cleaner.py", Shows: []string{"left"}},
			Sibling: leavesArtifacts(),
		},
	}
}

// wholeFiles demands that what was taken of each file is as long as it is said
// to be.
func wholeFiles(o Outcome) []Problem {
	var bad []Problem
	for _, a := range o.Result.Artifacts {
		if got := int64(len(o.Files[a.Name])); got != min(a.Bytes, cellwall.MiB) {
			bad = append(bad, Problem(fmt.Sprintf("%q has %d bytes and is said to have %d", a.Name, got, a.Bytes)))
		}
	}
	return bad
}
