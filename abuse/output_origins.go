package abuse

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cellwall/cellwall"
)

// origins are attempts to learn from errors what stands around.
func origins() []Case {
	return []Case{{
		ID: "O122", Title: "tracebacks that tell where things stand", Boundary: "only the sandbox's own paths; an error shows the user's lines", Runs: 2,
		Attack: Program{File: "O122.py", Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusError}, Causes: []cellwall.Cause{cellwall.CauseException},
			Held: []string{"traceback", "modules", "frames", "executions"}, Prints: []string{"LOOKED"},
			Lacks: []string{"/var/lib/cellwall"}, Judge: ownLines,
		}},
		Control: Control{Harness: "harness_inside.py", Runs: 1, Shows: []string{"traceback", "frames"}},
		Sibling: showsErrors(),
	}}
}

var executions = regexp.MustCompile(`exec_[a-z2-7]{26}`)

// ownLines demands that what is told of the error is the user's: no frame of
// the driver or of a library, no name of another run.
func ownLines(o Outcome) []Problem {
	r := o.Result
	if r.Error == nil || !strings.Contains(r.Error.Traceback, `File "<cell`) {
		return []Problem{Problem("the error does not show the user's lines: " + describe(r.Error))}
	}
	var bad []Problem
	for _, text := range []string{"_cellwall", "/usr/lib", "zygote"} {
		if strings.Contains(r.Error.Traceback+r.Observation.ErrorMessage, text) {
			bad = append(bad, Problem(fmt.Sprintf("the traceback holds %q", text)))
		}
	}
	for what, text := range everything(o) {
		for _, id := range executions.FindAllString(text, -1) {
			if id != r.ID {
				bad = append(bad, Problem(what+" names the run "+id))
			}
		}
	}
	return bad
}
