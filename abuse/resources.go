package abuse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// The names of protections that a host may lack, as backends report them.
const (
	MemoryLimit  = "memory_limit"
	ProcessLimit = "process_limit"
	OwnUID       = "own_uid"
)

// resources returns the cases of letter R.
func resources() []Case {
	return slices.Concat(amounts(), endings(), reaches(), lasting(), machine(), loads(), []Case{crowd()})
}

// amounts are attempts to use more than there is.
func amounts() []Case {
	few := cellwall.Limits{Processes: 32}
	memory := cellwall.Limits{MemoryBytes: 128 * cellwall.MiB}
	shared := cellwall.Limits{MemoryBytes: 160 * cellwall.MiB, TmpBytes: cellwall.GiB}
	oom := Expect{Statuses: []cellwall.Status{cellwall.StatusMemoryLimit}, Causes: []cellwall.Cause{cellwall.CauseOOM}}
	return []Case{
		{
			ID: "R52", Title: "fork bomb", Boundary: "process limit", Needs: []string{ProcessLimit},
			Attack: Program{File: "R52.py", Limits: few, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusProcessLimit}, Held: []string{"fork", "libc", "clone3"},
			}},
			// 128 interpreters that end at once copy 6 MiB each, and the first process of the outer cell is in the same group.
			Control: Control{MemoryBytes: 2 * cellwall.GiB},
			Sibling: runsChildren(),
		},
		{
			ID: "R53", Title: "thread bomb", Boundary: "process limit", Needs: []string{ProcessLimit},
			Attack: Program{File: "R53.py", Limits: few, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusProcessLimit}, Held: []string{"threads"},
			}},
			Sibling: runsChildren(),
		},
		{
			ID: "R54", Title: "more memory than there is", Boundary: "memory limit of the group", Needs: []string{MemoryLimit},
			Attack:  Program{File: "R54.py", Limits: memory, Expect: oom},
			Control: Control{Shows: []string{"memory"}},
			Sibling: usesMemory(memory),
		},
		{
			ID: "R55", Title: "memory that is nobody's heap", Boundary: "memory limit of the group", Needs: []string{MemoryLimit},
			Attack:  Program{File: "R55.py", Limits: shared, Expect: oom},
			Control: Control{Shows: []string{"shared_memory"}},
			Sibling: usesMemory(memory),
		},
	}
}

// endings are attempts not to end, or to end as something else.
func endings() []Case {
	second := cellwall.Limits{Timeout: time.Second}
	late := Expect{
		Statuses: []cellwall.Status{cellwall.StatusTimeout}, Causes: []cellwall.Cause{cellwall.CauseDeadline},
		Within: guard,
	}
	said := func(text string) Expect {
		e := late
		e.Prints = []string{text}
		return e
	}
	deadline := Control{Shows: []string{"deadline"}}
	return []Case{
		{
			ID: "R61", Title: "work in C that never looks up", Boundary: "deadline on the host's clock",
			Attack: Program{File: "R61.py", Limits: second, Expect: said("WORKING")}, Control: deadline, Sibling: works(second),
		},
		{
			ID: "R62", Title: "every signal ignored, every exception caught", Boundary: "deadline by a kill that cannot be refused",
			Attack: Program{File: "R62.py", Limits: second, Expect: said("IGNORED")}, Control: deadline, Sibling: works(second),
		},
		{
			ID: "R63", Title: "hang at the very end", Boundary: "deadline on the host's clock",
			Attack: Program{File: "R63.py", Limits: second, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusTimeout, cellwall.StatusOK},
				Prints:   []string{"ALMOST"}, Within: guard,
			}},
			Control: deadline, Sibling: works(second),
		},
		{
			ID: "R65", Title: "a daemon that outlives the run", Boundary: "every process dies with the run",
			Attack: Program{File: "R65.py", Expect: Expect{
				Prints: []string{"LEFT"}, Within: guard,
				Judge: func(o Outcome) []Problem { return noneOf(o, "late.txt") },
			}},
			Control: Control{Shows: []string{"daemon"}, Judge: survives},
			Sibling: runsChildren(),
		},
		{
			ID: "R66", Title: "stop oneself, resume later", Boundary: "deadline on the host's clock",
			Attack: Program{File: "R66.py", Limits: second, Expect: said("STOPPING")}, Control: deadline, Sibling: signalsItsOwn(),
		},
		{
			ID: "R75", Title: "die as native code dies", Boundary: "the cause is the kernel's word; no core is kept", Runs: 3,
			Attack: Program{File: "R75.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusCrashed}, Prints: []string{"DYING"},
				Judge: func(o Outcome) []Problem {
					want := []cellwall.Cause{"signal:SIGSEGV", "signal:SIGABRT", "signal:SIGSEGV"}[o.World.Run%3]
					var bad []Problem
					if o.Result.Cause != want {
						bad = append(bad, Problem(fmt.Sprintf("cause is %q, want %q", o.Result.Cause, want)))
					}
					for _, a := range o.Result.Artifacts {
						if strings.HasPrefix(a.Name, "core") {
							bad = append(bad, "a core was kept")
						}
					}
					return bad
				},
			}},
			Control: Control{Runs: 1, Judge: func(x Exhibit) []Problem {
				if x.Signal != "SIGSEGV" {
					return []Problem{"the process did not die of a segmentation fault"}
				}
				return nil
			}},
			Sibling: callsNative(),
		},
	}
}

// reaches are attempts on other processes and on the kernel.
func reaches() []Case {
	return []Case{
		{
			ID: "R57", Title: "lock more memory than there is", Boundary: "memory limit of the group", Needs: []string{MemoryLimit},
			Attack: Program{File: "R57.py", Limits: cellwall.Limits{MemoryBytes: 128 * cellwall.MiB}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusMemoryLimit},
				Judge: func(o Outcome) []Problem {
					if o.Result.OK && !strings.Contains(o.Result.Stdout.Text, "HELD locked") {
						return []Problem{"nothing was attempted"}
					}
					return nil
				},
			}},
			Control: Control{Shows: []string{"locked"}, Privileged: true},
			Sibling: callsNative(),
		},
		{
			ID: "R67", Title: "signals to everything that can be named", Boundary: "own pid namespace",
			Attack: Program{File: "R67.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusCrashed}, Held: []string{"host", "host_pidfd"},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !x.Facts.CanaryChanged || !strings.Contains(strings.Join(x.Facts.Contacts, " "), "signal") {
					return []Problem{"no signal reached the canary and the supervisor"}
				}
				return nil
			}},
			Sibling: signalsItsOwn(),
		},
		{
			ID: "R68", Title: "look into other processes", Boundary: "system calls by allow-list, own pid namespace",
			Attack:  Program{File: "R68.py", Expect: Expect{Held: []string{"ptrace", "vm_readv", "pidfd_getfd", "parent_memory"}}},
			Sibling: signalsItsOwn(),
		},
		{
			ID: "R69", Title: "become more important than others", Boundary: "no capabilities, system calls by allow-list",
			Attack:  Program{File: "R69.py", Expect: Expect{Held: []string{"limit", "oom", "nice", "realtime"}}},
			Control: Control{Privileged: true, Absent: map[string]string{"limit": "this process lacks CAP_SYS_RESOURCE itself", "oom": "this process lacks CAP_SYS_RESOURCE itself", "realtime": "a processor group of version 1 has no realtime budget"}},
			Sibling: callsNative(),
		},
		{
			ID: "R71", Title: "keys that outlive their maker", Boundary: "system calls by allow-list, a user of its own", Runs: 2,
			Attack: Program{File: "R71.py", Expect: Expect{
				Prints: []string{"USER "}, Held: []string{"add", "session", "request"},
			}},
			Across:  usersDiffer,
			Control: Control{Runs: 1, Shows: []string{"add", "session"}},
			Sibling: callsNative(),
		},
		{
			ID: "R72", Title: "kernel machinery with a history", Boundary: "system calls by allow-list",
			Attack:  Program{File: "R72.py", Expect: Expect{Held: []string{"bpf", "perf", "userfaultfd"}}},
			Control: Control{Privileged: true},
			Sibling: callsNative(),
		},
	}
}

// usersDiffer demands that no two runs are the same user of the host, where each
// can have one of its own.
func usersDiffer(runs []Outcome) []Problem {
	seen := make(map[string]bool)
	for _, o := range runs {
		if slices.Contains(o.Result.Boundary.Degraded, OwnUID) {
			return nil
		}
		_, rest, _ := strings.Cut(o.Result.Stdout.Text, "USER ")
		user, _, _ := strings.Cut(rest, "\n")
		if seen[user] {
			return []Problem{Problem(fmt.Sprintf("two runs are user %.20q", user))}
		}
		seen[user] = true
	}
	return nil
}
