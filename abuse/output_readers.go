package abuse

import (
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// readers are attempts on whoever reads what is written, and how long.
func readers() []Case {
	brief := cellwall.Limits{Timeout: 3 * time.Second, OutputBytes: cellwall.GiB}
	alive := Control{Harness: "harness_patient.py", Runs: 1, Shows: []string{"alive"}}
	return []Case{
		{
			ID: "O109", Title: "slow, crowded and late output", Boundary: "the run ends by its processes; each stream is kept in its order", Runs: 3,
			Attack: Program{File: "O109.py", Limits: brief, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusTimeout}, Prints: []string{"WRITING"}, Within: guard,
				Judge: func(o Outcome) []Problem {
					return []func(Outcome) []Problem{dripped, inOrder, late}[o.World.Run%3](o)
				},
			}},
			Control: alive, Sibling: printsMuch(),
		},
		{
			ID: "O125", Title: "write on while nobody reads", Boundary: "the deadline needs no reader; a caller who is gone ends the run", Runs: 4,
			Attack: Program{File: "O125.py", Limits: brief, Callers: []Caller{CallerStalls, CallerPauses, CallerLeaves, CallerBreaks}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusTimeout, cellwall.StatusCancelled}, Prints: []string{"WRITING"}, Within: guard,
				Judge: func(o Outcome) []Problem {
					want := []cellwall.Cause{cellwall.CauseDeadline, cellwall.CauseDeadline, cellwall.CauseCancelled, cellwall.CauseCancelled}[o.World.Run%4]
					if o.Result.Cause != want {
						return []Problem{Problem(fmt.Sprintf("cause is %q, want %q", o.Result.Cause, want))}
					}
					return nil
				},
			}},
			Control: alive, Sibling: printsMuch(),
		},
	}
}

// dripped demands that the deadline came and that what was said is there.
func dripped(o Outcome) []Problem {
	most := int(200 * max(1, o.World.Slow)) // its deadline is stretched, its pace is not
	if n := strings.Count(o.Result.Stdout.Text, "."); o.Result.Cause != cellwall.CauseDeadline || n < 20 || n > most {
		return []Problem{Problem(fmt.Sprintf("it ended by %q with %d of its bytes", o.Result.Cause, n))}
	}
	return nil
}

// inOrder demands every line of every thread, whole and in the thread's order.
func inOrder(o Outcome) []Problem {
	next := make(map[int]int)
	for line := range strings.Lines(o.Result.Stdout.Text + o.Result.Stderr.Text) {
		var name, number int
		var rest string
		if n, _ := fmt.Sscanf(line, "%d:%d %s", &name, &number, &rest); n != 3 {
			continue
		}
		if number != next[name] || rest != strings.Repeat("x", 60) {
			return []Problem{Problem(fmt.Sprintf("line %d of thread %d is %q, want number %d", number, name, clip(line), next[name]))}
		}
		next[name]++
	}
	for name := range 50 {
		if next[name] != 100 {
			return []Problem{Problem(fmt.Sprintf("%d lines of thread %d came, want 100; the run ended as %s", next[name], name, o.Result.Status))}
		}
	}
	if !o.Result.OK || !strings.HasSuffix(o.Result.Stderr.Text, "last\n") || !strings.HasSuffix(o.Result.Stdout.Text, "LAST\n") {
		return []Problem{"the last line of a stream is not its last"}
	}
	return nil
}

// late demands that what a child wrote after its parent had closed is there.
func late(o Outcome) []Problem {
	if n := strings.Count(o.Result.Stdout.Text, "late\n"); !o.Result.OK || n != 200 {
		return []Problem{Problem(fmt.Sprintf("it ended as %s (%s) with %d of 200 late lines", o.Result.Status, o.Result.Cause, n))}
	}
	return nil
}
