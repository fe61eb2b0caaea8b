package abuse

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// opened are attempts on whoever opens, unpacks or serves what a run left.
func opened() []Case {
	return []Case{
		{
			ID: "O118", Title: "cells that a spreadsheet runs", Boundary: "delivered as they are, and flagged",
			Attack:  Program{File: "O118.py", Expect: Expect{Prints: []string{"MADE 7"}, Kept: []string{"table0.csv", "numbers.csv"}, Judge: flaggedCells}},
			Control: Control{Harness: "harness_sheet.py", Shows: []string{"cell"}}, Sibling: leavesArtifacts(),
		},
		{
			ID: "O119", Title: "archives that unpack elsewhere", Boundary: "archives are never unpacked",
			Attack: Program{File: "O119.py", Expect: Expect{
				Prints: []string{"MADE 4"}, Skipped: []string{"up.zip", "up.tar", "up.tar.gz", "notes.txt"},
			}},
			Control: Control{Harness: "harness_unpacker.py", Shows: []string{"zip", "tar"}}, Sibling: leavesArtifacts(),
		},
		{
			ID: "O120", Title: "files that are not what their names say", Boundary: "types by content; what may carry scripts is named so",
			Attack: Program{File: "O120.py", Expect: Expect{
				Prints: []string{"MADE 7"}, Skipped: []string{"program.txt"}, Judge: typesByContent,
			}},
			Control: Control{Harness: "harness_guesser.py", Shows: []string{"picture.png", "table.csv", "notes.txt"}}, Sibling: leavesArtifacts(),
		},
		{
			ID: "O124", Title: "what tools leave behind", Boundary: "traces of tools are no artifacts; what people made stays",
			Attack: Program{File: "O124.py", Expect: Expect{
				Prints: []string{"LEFT"}, Kept: []string{"result.txt", "core.txt", "core.1/table.csv", "lib/core/table.csv"},
				Judge: func(o Outcome) []Problem {
					if n := len(o.Result.Artifacts); n != 4 {
						return []Problem{Problem(fmt.Sprintf("%d artifacts were taken, want 4: %v", n, o.Result.Artifacts))}
					}
					return nil
				},
			}},
			Control: Control{Judge: rawNames("core.4711", "module.pyc", "hs_err_pid4711.log", ".ipynb_checkpoints/", "__pycache__/")},
			Sibling: leavesArtifacts(),
		},
	}
}

// flaggedCells demands that each table came as it was, that those with cells
// that act are flagged in the result and in the observation, and no other.
func flaggedCells(o Outcome) []Problem {
	var bad []Problem
	warned := strings.Join(o.Result.Observation.Warnings, "\n")
	for _, a := range o.Result.Artifacts {
		want := strings.HasPrefix(a.Name, "table")
		if got := slices.Contains(a.Flags, cellwall.FlagFormulas); got != want {
			bad = append(bad, Problem(fmt.Sprintf("%s is flagged %v, want %v", a.Name, got, want)))
		}
		if strings.Contains(warned, a.Name) != want {
			bad = append(bad, Problem(fmt.Sprintf("the warnings of %s are %q", a.Name, clip(warned))))
		}
	}
	for number, cell := range []string{"=1+1", `=HYPERLINK(""http://192.0.2.1/"")`, "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1,1)", "\t=1+1"} {
		name := fmt.Sprintf("table%d.csv", number)
		if want := "name,value\r\nsum,\"" + cell + "\"\r\n"; !bytes.Equal(o.Files[name], []byte(want)) {
			bad = append(bad, Problem(fmt.Sprintf("%s came as %q, want %q", name, o.Files[name], want)))
		}
	}
	return bad
}

// typesByContent demands of each file the type that its content has.
func typesByContent(o Outcome) []Problem {
	var bad []Problem
	for name, want := range map[string]string{
		"picture.png": "text/html", "table.csv": "text/html", "notes.txt": "image/svg+xml", "page.html": "image/gif", "report.pdf": "image/jpeg",
	} {
		i := slices.IndexFunc(o.Result.Artifacts, func(a cellwall.Artifact) bool { return a.Name == name })
		if i < 0 || o.Result.Artifacts[i].MediaType != want {
			bad = append(bad, Problem(fmt.Sprintf("%s is not there as %s: %+v", name, want, o.Result.Artifacts)))
		}
	}
	return bad
}
