package abuse

import (
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// imports are attempts by what is imported: what is not there, what waits for
// somebody, what locks, what starts others.
func imports() []Case {
	hazards := []string{"tkinter", "turtle", "idlelib.idle", "antigravity", "readline", "curses", "pty", "this", "browser", "terminal", "terminal_child"}
	return []Case{
		{
			ID: "D83", Title: "import what is not there", Boundary: "the observation names the module and what there is", Runs: 4,
			Attack: Program{File: "D83.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusError}, Causes: []cellwall.Cause{cellwall.CauseException},
				Prints: []string{"IMPORTING"}, Judge: namesModule,
			}},
			Control: Control{Harness: "harness_mute.py", Runs: 1, Shows: []string{"nameless"}}, Sibling: importsModules(),
		},
		{
			ID: "D103", Title: "modules that wait for a display, a browser or a terminal", Boundary: "none of these is in the environment, standard input is empty",
			Attack: Program{File: "D103.py", Limits: cellwall.Limits{Timeout: 30 * time.Second}, Expect: Expect{Held: hazards}},
			Control: Control{
				Harness: "harness_desktop.py", Shows: []string{"tkinter", "browser", "terminal"}, Timeout: 40 * time.Second,
				Absent: map[string]string{"terminal": "the outer cell has no terminal devices"},
			},
			Sibling: importsModules(),
		},
		{
			ID: "D104", Title: "pools beyond the limit", Boundary: "process limit, told in one sentence", Needs: []string{ProcessLimit}, Runs: 3,
			Attack: Program{File: "D104.py", Limits: cellwall.Limits{Processes: 32}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusProcessLimit, cellwall.StatusError}, Prints: []string{"POOLS"}, Judge: poolsEnd,
			}},
			Control: Control{Runs: 1, Shows: []string{"threads"}}, Sibling: runsChildren(),
		},
		{
			ID: "D105", Title: "stale locks of a library that draws", Boundary: "the settings' folder is the run's own and ready",
			Attack: Program{File: "D105.py", Limits: cellwall.Limits{Timeout: 30 * time.Second}, Expect: Expect{
				Held: []string{"wait", "warning", "wait_here"}, Prints: []string{"CHILD 0 "}, Lacks: []string{"MPLCONFIGDIR"},
				Kept: []string{"chart.png", "child.png"},
			}},
			Control: Control{Harness: "harness_stale.py", Shows: []string{"wait", "warning"}}, Sibling: leavesArtifacts(),
		},
	}
}

// namesModule demands that the error and the way forward name what is missing,
// and that the name acts on nobody.
func namesModule(o Outcome) []Problem {
	name := []string{"prophet_nowhere", "numpy.nowhere", "nowhere", "nowhere_second"}[o.World.Run%4]
	r := o.Result
	if r.Error == nil || r.Error.Type != "ModuleNotFoundError" || !strings.HasPrefix(r.Error.Name, name) {
		return []Problem{Problem(fmt.Sprintf("the error is %s, want one that names %s", describe(r.Error), name))}
	}
	var bad []Problem
	if !strings.Contains(r.Observation.RetryHint, name) || !strings.Contains(r.Observation.RetryHint, "pandas") {
		bad = append(bad, Problem("the way forward names not both the module and what there is: "+clip(r.Observation.RetryHint)))
	}
	return append(bad, observedPlain(o)...)
}

// poolsEnd demands that whoever asked for too many hears how many there may be,
// and that within the limit everything works but a program that is not there.
func poolsEnd(o Outcome) []Problem {
	r := o.Result
	hint, want := r.Observation.RetryHint, "32 processes"
	if o.World.Run%3 == 2 {
		want = "no other program than Python"
		for _, text := range []string{
			"WORKED threads [0, 1, 4, 9]", "WORKED pool [0, 1, 4, 9]", "WORKED processes [0, 1, 4, 9]", "WORKED loop 11",
		} {
			if !strings.Contains(r.Stdout.Text, text) {
				return []Problem{Problem(fmt.Sprintf("stdout lacks %q; error %s", text, describe(r.Error)))}
			}
		}
	} else if r.Status != cellwall.StatusProcessLimit {
		return []Problem{Problem(fmt.Sprintf("status is %s (%s)", r.Status, r.Cause))}
	}
	if !strings.Contains(hint, want) {
		return []Problem{Problem(fmt.Sprintf("the way forward is %q, want one that says %q", clip(hint), want))}
	}
	return nil
}
