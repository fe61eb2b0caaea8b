package abuse

import (
	"fmt"
	"strings"
)

// common are attempts through files that all runs have in common.
func common() []Case {
	return []Case{
		{
			ID: "F30", Title: "block others by locks on shared files", Boundary: "leases and notices refused, inputs shared with nobody",
			Attack: Program{File: "F30.py", Inputs: numbers(), Expect: Expect{
				Held:   []string{"lease_read", "lease_write", "notify", "owner", "owner_group", "write_lock"},
				Prints: []string{"LOCKED True"},
			}},
			Control: Control{
				Harness: "harness_locks.py", Shows: []string{"lease_read", "lease_write", "notify", "owner", "owner_group", "blocked"},
			},
			Sibling: readsInput(),
		},
		{
			ID: "F31", Title: "watch others by events on shared files", Boundary: "system calls by allow-list",
			Attack: Program{File: "F31.py", Inputs: numbers(), Expect: Expect{Held: []string{
				"library", "old", "input", "device", "fanotify", "fanotify_by_name", "times",
			}}},
			Control: Control{Privileged: true},
			Sibling: readsInput(),
		},
		{
			ID: "F32", Title: "change the pages that all runs share", Boundary: "read-only root, system calls by allow-list", Runs: 2,
			Attack: Program{File: "F32.py", Expect: Expect{
				Held: []string{
					"splice", "vmsplice", "tee", "alg", "rxrpc", "xfrm", "udp", "ring", "write", "map", "memory", "sendfile", "dirty_pipe",
				},
				Prints: []string{"LIBRARIES "},
			}},
			Across: sameLibraries,
			Control: Control{
				Runs: 1,
				Absent: map[string]string{
					"memory": "no kernel since 2016 writes a mapping that is shared and read-only", "sendfile": "the target has to be open for writing",
					"dirty_pipe": "no kernel since 5.17 merges into a page of a file",
				},
				Judge: func(x Exhibit) []Problem {
					if d := digests(x.Stdout); len(d) != 2 || d[0] == d[1] {
						return []Problem{Problem(fmt.Sprintf("the libraries did not change: %q", d))}
					}
					return nil
				},
			},
			Sibling: importsModules(),
		},
	}
}

// sameLibraries demands that every run found the libraries as the first did,
// and left them so.
func sameLibraries(runs []Outcome) []Problem {
	var all []string
	for _, o := range runs {
		all = append(all, digests(o.Result.Stdout.Text)...)
	}
	if len(all) != 2*len(runs) {
		return []Problem{Problem(fmt.Sprintf("%d digests of the libraries in %d runs", len(all), len(runs)))}
	}
	for _, d := range all {
		if d != all[0] || len(d) != 64 {
			return []Problem{Problem(fmt.Sprintf("the libraries are not what they were: %q", all))}
		}
	}
	return nil
}

func digests(stdout string) []string {
	var all []string
	for line := range strings.Lines(stdout) {
		if d, ok := strings.CutPrefix(strings.TrimSpace(line), "LIBRARIES "); ok {
			all = append(all, d)
		}
	}
	return all
}
