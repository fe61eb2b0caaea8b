package abuse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// interpreter returns the cases of letter D.
func interpreter() []Case {
	return slices.Concat(modules(), copies(), frames(), sources(), meanings(), imports(), natives(), hooks())
}

// crashedWith is an end that the kernel told.
func crashedWith(causes ...cellwall.Cause) Expect {
	return Expect{Statuses: []cellwall.Status{cellwall.StatusCrashed}, Causes: causes}
}

// modules are attempts on what the interpreter loads and on the runner in it.
func modules() []Case {
	patched := crashedWith("exit:3")
	patched.Prints = []string{`"status": "ok"`}
	return []Case{
		{
			ID: "D82", Title: "install something", Boundary: "no installer, no compiler, no shell in the environment",
			Attack: Program{File: "D82.py", Expect: Expect{Held: []string{
				"pip", "ensurepip", "tools", "compiler", "shell", "importable",
			}}},
			Control: Control{Harness: "harness_pip.py"}, Sibling: importsModules(),
		},
		{
			ID: "D84", Title: "shadow modules in the working directory", Boundary: "the runner loads nothing after the code began",
			Attack:  Program{File: "D84.py", Expect: Expect{Prints: []string{"SHADOWED"}}},
			Control: Control{Harness: "harness_inside.py", Shows: []string{"shadow"}},
			Sibling: importsModules(),
		},
		{
			ID: "D85", Title: "leave something for the next run to load", Boundary: "nothing writable outlives a run", Runs: 2,
			Attack: Program{File: "D85.py", Expect: Expect{
				Prints: []string{"PLANTED"},
				Held:   []string{"working_directory", "tmp", "shared_memory", "home", "site", "cache", "workspace", "run"},
			}},
			Sibling: importsModules(),
		},
		{
			ID: "D88", Title: "replace everything that tells the end", Boundary: "the end is the kernel's word",
			Attack:  Program{File: "D88.py", Expect: patched},
			Control: Control{Harness: "harness_believer.py", Shows: []string{"verdict"}},
			Sibling: patchesItself(),
		},
		{
			ID: "D89", Title: "search the interpreter for secrets", Boundary: "nothing secret is inside",
			Attack:  Program{File: "D89.py", Expect: Expect{Held: []string{"secrets", "host_paths", "sockets"}}},
			Control: Control{Harness: "harness_inside.py"}, Sibling: patchesItself(),
		},
		{
			ID: "D96", Title: "a payload that runs when it is loaded", Boundary: "artifacts are never loaded",
			Attack: Program{File: "D96.py", Expect: Expect{
				Prints: []string{"LEFT"},
				Judge:  func(o Outcome) []Problem { return noneOf(o, "model.pkl") },
			}},
			Control: Control{Harness: "harness_opener.py", Shows: []string{"pickle"}}, Sibling: leavesArtifacts(),
		},
	}
}

// copies are attempts on the warm process that runs are copied from.
func copies() []Case {
	state := []string{
		"cwd", "umask", "environment", "mask", "handler", "warnings", "decimal", "path", "recursion", "modules",
		"builtins", "numpy", "pandas", "matplotlib",
	}
	unchanged := map[string]string{}
	for _, name := range []string{"numpy", "pandas", "matplotlib"} {
		unchanged[name] = "the control's interpreter has not loaded it"
	}
	unchanged["umask"] = "the second look comes after the same umask was set again"
	return []Case{
		{
			ID: "D90", Title: "poison the zygote", Boundary: "a run shares nothing with what it was copied from", Runs: 3,
			Attack: Program{File: "D90.py", Expect: Expect{Prints: []string{"TRIED"}, Held: []string{"mapping", "offset"}}},
			Control: Control{
				Harness: "harness_zygote.py", Runs: 1, Shows: []string{"mapping", "offset", "poisoned", "signalled"},
			},
			Sibling: patchesItself(),
		},
		{
			ID: "D91", Title: "serve the next request in the zygote's name", Boundary: "a run has no way to the zygote's channel", Runs: 2,
			Attack: Program{File: "D91.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusCrashed}, Prints: []string{"CHANNELS"},
			}},
			Control: Control{Harness: "harness_zygote.py", Runs: 1, Shows: []string{"served", "answered"}},
			Sibling: usesSockets(),
		},
		{
			ID: "D92", Title: "change all state of the interpreter", Boundary: "every run begins with a fresh copy", Runs: 2,
			Attack:  Program{File: "D92.py", Expect: Expect{Held: state}},
			Control: Control{Harness: "harness_inside.py", Runs: 1, Absent: unchanged},
			Sibling: patchesItself(),
		},
		{
			ID: "D93", Title: "draw the same random numbers twice", Boundary: "every generator is reseeded", Runs: 3,
			Attack:  Program{File: "D93.py", Expect: Expect{Prints: []string{"RANDOM random", "RANDOM tempfile"}}},
			Across:  drawsDiffer,
			Control: Control{Harness: "harness_copies.py", Runs: 1, Shows: []string{"random", "bytes"}},
			Sibling: Program{File: "sibling_random.py", Expect: Expect{Prints: []string{"ADMITTED 0.6394267984578837 331"}}},
		},
	}
}

// drawsDiffer demands that no two runs drew the same from any generator.
func drawsDiffer(runs []Outcome) []Problem {
	drawn := make(map[string][]string)
	for _, o := range runs {
		for name, value := range reports(o.Result.Stdout.Text, "RANDOM ") {
			drawn[name] = append(drawn[name], value)
		}
	}
	var bad []Problem
	for name, values := range drawn {
		slices.Sort(values)
		if len(slices.Compact(slices.Clone(values))) != len(runs) {
			bad = append(bad, Problem(fmt.Sprintf("%s drew %q in %d runs", name, values, len(runs))))
		}
	}
	return bad
}

// frames are attempts on the protocol between driver and controller.
func frames() []Case {
	honest := []cellwall.Status{
		cellwall.StatusOK, cellwall.StatusError, cellwall.StatusCrashed, cellwall.StatusInternalError,
	}
	return []Case{
		{
			ID: "D94", Title: "malformed frames", Boundary: "strict frames, bounded in number, size and time", Runs: 9,
			Attack: Program{File: "D94.py", Limits: cellwall.Limits{Timeout: 4 * time.Second}, Expect: Expect{
				Statuses: honest, Prints: []string{"CHANNELS"}, Within: guard,
				Causes: []cellwall.Cause{cellwall.CauseProtocol, cellwall.CauseExit, cellwall.CauseSignal, cellwall.CauseNone},
				Judge: func(o Outcome) []Problem {
					if n := len(o.Result.Results) + len(o.Result.Warnings); n > 1000 {
						return []Problem{Problem(fmt.Sprintf("%d results and warnings were taken", n))}
					}
					return nil
				},
			}},
			Control: Control{Harness: "harness_truster.py", Runs: 1, Shows: []string{"length"}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "D95", Title: "a forged answer", Boundary: "frames are claims, the end is the kernel's word", Runs: 2,
			Attack: Program{File: "D95.py", Limits: cellwall.Limits{Timeout: time.Second}, Expect: Expect{
				Statuses: append(slices.Clone(honest), cellwall.StatusTimeout), Prints: []string{`"status": "ok"`},
				Within: guard,
				Judge: func(o Outcome) []Problem {
					if strings.Contains(string(o.Result.Cause), "exit:0") {
						return []Problem{"the program's end was told as an ordinary one"}
					}
					return nil
				},
			}},
			Control: Control{Harness: "harness_truster.py", Runs: 1, Shows: []string{"verdict"}},
			Sibling: exitsWell(),
		},
	}
}
