package abuse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// natives are attempts by code that is not Python's, or not this interpreter's.
func natives() []Case {
	reaches := []string{"stub", "stub_socket", "stub_trace", "file", "nameless", "loader"}
	return []Case{
		{
			ID: "D86", Title: "variables that the loader and the interpreter obey", Boundary: "whoever starts inside stays inside; the environment is the run's own", Runs: 3,
			Attack: Program{File: "D86.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusCrashed},
				Held:     []string{"environment", "secret"}, Prints: []string{"CHILD True 0"}, Judge: replaced,
			}},
			Control: Control{Harness: "harness_inside.py", Runs: 1}, Sibling: runsChildren(),
		},
		{
			ID: "D87", Title: "machine code of one's own", Boundary: "the wall is around the process, not around Python", Runs: 2,
			Attack: Program{File: "D87.py", Limits: cellwall.Limits{Timeout: 6 * time.Second}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusTimeout}, Prints: []string{"NATIVE"}, Within: guard,
				Judge: func(o Outcome) []Problem {
					if o.World.Run == 0 {
						return heldAll(o, reaches)
					}
					if o.Result.Cause != cellwall.CauseDeadline {
						return []Problem{Problem(fmt.Sprintf("an endless jump ended as %s (%s)", o.Result.Status, o.Result.Cause))}
					}
					return nil
				},
			}},
			Control: Control{Runs: 1, Shows: reaches}, Sibling: callsNative(),
		},
	}
}

// replaced demands that a program in the interpreter's place is told as what it
// is: the interpreter left without a word.
func replaced(o Outcome) []Problem {
	r := o.Result
	switch {
	case o.World.Run == 0 && r.OK:
		return nil
	case o.World.Run > 0 && r.Cause == cellwall.CauseExit+":0" && strings.Contains(r.Stdout.Text, "REPLACED"):
		return nil
	}
	return []Problem{Problem(fmt.Sprintf("run %d ended as %s (%s)", o.World.Run, r.Status, r.Cause))}
}

// heldAll demands that each attempt was reported as held.
func heldAll(o Outcome, attempts []string) []Problem {
	return Unreported(Program{Expect: Expect{Held: attempts}}, o)
}

// hooks are attempts by what the interpreter calls on every event.
func hooks() []Case {
	state := []string{"audit", "trace", "profile", "thread_trace", "fault", "monitoring", "fork"}
	return []Case{{
		ID: "D106", Title: "hooks that outlive the code that set them", Boundary: "every run begins with a fresh copy", Runs: 4,
		Attack: Program{File: "D106.py", Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusCrashed}, Held: state, Prints: []string{"HOOKED"}, Within: guard,
			Judge: func(o Outcome) []Problem {
				// The hook of run 2 refuses everything, the driver's last word too.
				if ends := []cellwall.Status{cellwall.StatusOK, cellwall.StatusCrashed}; o.World.Run != 2 || !slices.Contains(ends, o.Result.Status) {
					return ending(Expect{}, o)
				}
				return nil
			},
		}},
		Control: Control{Harness: "harness_inside.py", Runs: 1, Absent: map[string]string{
			"monitoring": "before Python 3.12 there is none",
		}},
		Sibling: patchesItself(),
	}}
}
