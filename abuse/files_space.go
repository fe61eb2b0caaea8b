package abuse

import (
	"github.com/cellwall/cellwall"
)

// space are attempts on how much there is.
func space() []Case {
	small := cellwall.Limits{WorkspaceBytes: 16 * cellwall.MiB, TmpBytes: 16 * cellwall.MiB}
	held := cellwall.Limits{WorkspaceBytes: 40 * cellwall.MiB, TmpBytes: 40 * cellwall.MiB}
	few := cellwall.Limits{WorkspaceInodes: 256, TmpInodes: 256}
	return []Case{
		{
			ID: "F24", Title: "use up the inodes", Boundary: "inode limit of the writable file systems",
			Attack: Program{File: "F24.py", Limits: few, Expect: Expect{
				Held:  []string{"output", "tmp"},
				Judge: func(o Outcome) []Problem { return withinCaps(o, cellwall.DefaultLimits()) },
			}},
			Sibling: usesDisk(few),
		},
		{
			ID: "F27", Title: "fill every writable place", Boundary: "size limit of the writable file systems",
			Attack: Program{File: "F27.py", Limits: small, Expect: Expect{Held: []string{
				"output_write", "output_allocate", "tmp_write", "tmp_map", "tmp_unnamed", "shm_write",
			}}},
			Sibling: usesDisk(small),
		},
		{
			ID: "F28", Title: "hold space under no name", Boundary: "file systems in memory of its own, dropped with the run", Runs: 2,
			Attack: Program{File: "F28.py", Limits: held, Expect: Expect{
				Held: []string{"held_over", "output_full", "tmp_full"}, Prints: []string{"HOLDING 4 True"}, Within: guard,
			}},
			Control: Control{Judge: survives}, Sibling: usesDisk(held),
		},
	}
}
