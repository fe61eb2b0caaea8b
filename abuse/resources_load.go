package abuse

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// loads are attempts to be a burden: on the disk, on the caller, on a neighbour.
func loads() []Case {
	small := cellwall.Limits{MemoryBytes: 128 * cellwall.MiB}
	second := cellwall.Limits{Timeout: time.Second}
	return []Case{
		{
			ID: "R56", Title: "disks and the page cache", Needs: []string{MemoryLimit},
			Boundary: "nothing writable on a disk, calls by allow-list, cached pages in the limit of the group",
			Attack: Program{File: "R56.py", Limits: small, Expect: Expect{
				Held: []string{"readahead", "range", "sync", "residence"}, Prints: []string{"FLOODED"},
				Judge: func(o Outcome) []Problem {
					if peak := o.Result.Usage.MemoryPeakBytes; peak > small.MemoryBytes {
						return []Problem{Problem(fmt.Sprintf("%d bytes were in use, of %d", peak, small.MemoryBytes))}
					}
					return nil
				},
			}},
			Sibling: usesDisk(cellwall.Limits{}),
		},
		{
			ID: "R64", Title: "ask somebody who is not there", Boundary: "no stdin; deadline on the host's clock",
			Attack: Program{File: "R64.py", Limits: second, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusTimeout}, Causes: []cellwall.Cause{cellwall.CauseDeadline},
				Held: []string{"descriptor", "stream", "input", "interact", "debugger"}, Prints: []string{"WAITING"},
				Within: guard,
			}},
			Control: Control{Harness: "harness_leak.py", Shows: []string{"deadline"}, Judge: waitsForInput},
			Sibling: works(second),
		},
		{
			ID: "R76", Title: "only a helper is out of memory", Boundary: "the group's events decide, whoever died", Runs: 2,
			Needs: []string{MemoryLimit},
			Attack: Program{File: "R76.py", Limits: small, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusMemoryLimit, cellwall.StatusOK}, Judge: noHalfState,
			}},
			Control: Control{Runs: 1, Shows: []string{"helper"}},
			Sibling: runsChildren(),
		},
		{
			ID: "R77", Title: "libraries that want more processes than there are", Boundary: "the limit is named to whoever asked", Runs: 6,
			Needs: []string{ProcessLimit},
			Attack: Program{File: "R77.py", Limits: cellwall.Limits{Processes: 32, Timeout: 3 * time.Second}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusProcessLimit, cellwall.StatusTimeout},
				Prints:   []string{"WANTED"}, Within: guard,
				Judge: func(o Outcome) []Problem {
					return namesLimit(o, strconv.Itoa(o.World.Processes)+" processes and threads")
				},
			}},
			Control: Control{Runs: 1, Shows: []string{"workers"}},
			Sibling: runsChildren(),
		},
		{
			ID: "R79", Title: "files that are small until they are opened", Boundary: "memory limit of the group, deadline", Runs: 5,
			Needs: []string{MemoryLimit},
			Attack: Program{File: "R79.py", Limits: small, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusMemoryLimit, cellwall.StatusTimeout}, Prints: []string{"OPENING"},
			}},
			Control: Control{Runs: 1, Shows: []string{"bomb"}},
			Sibling: readsInput(),
		},
	}
}

// crowd is many attacks at once.
func crowd() Case {
	limits := cellwall.Limits{MemoryBytes: 64 * cellwall.MiB, Processes: 16, TmpBytes: cellwall.MiB, Timeout: 3 * time.Second}
	return Case{
		ID: "R80", Title: "a crowd, each at its limits", Boundary: "limits of each group", Crowd: 8,
		Needs: []string{MemoryLimit, ProcessLimit},
		Attack: Program{File: "R80.py", Limits: limits, Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusTimeout}, Prints: []string{"CROWDING"},
		}},
		Control: Control{Shows: []string{"deadline"}},
		Sibling: works(limits),
	}
}

// waitsForInput demands of a control that its program never got past asking.
func waitsForInput(x Exhibit) []Problem {
	if !strings.Contains(x.Stdout, "ASKING descriptor") || strings.Contains(x.Stdout, "HELD") {
		return []Problem{"a program that asks did not wait for an answer"}
	}
	return nil
}

// noHalfState demands of R76 that the caller learns of the limit, whatever the
// parent of the helper says.
func noHalfState(o Outcome) []Problem {
	r := o.Result
	if !r.OK {
		return nil // the status names the limit
	}
	if o.World.Run == 1 {
		return []Problem{"a program that failed ended ok"}
	}
	return missingFrom(strings.Join(r.Observation.Warnings, "\n"), "memory")
}

// namesLimit demands that the way forward names the limit.
func namesLimit(o Outcome, limit string) []Problem {
	return missingFrom(o.Result.Observation.RetryHint, limit)
}

func missingFrom(said, want string) []Problem {
	if !strings.Contains(said, want) {
		return []Problem{Problem(fmt.Sprintf("the caller is not told of %q but %q", want, said))}
	}
	return nil
}
