package abuse

import (
	"slices"

	"github.com/cellwall/cellwall"
)

// files returns the cases of letter F.
func files() []Case { return slices.Concat(roots(), gates(), leavings(), shapes(), space(), common()) }

// roots are attempts on what is not the program's own.
func roots() []Case {
	return []Case{
		{
			ID: "F1", Title: "write to the root, the interpreter and its packages", Boundary: "read-only root",
			Attack: Program{File: "F1.py", Expect: Expect{Held: []string{
				"root", "usr", "etc", "stdlib", "site-packages", "bin", "overwrite", "chmod", "rename", "mounted",
			}}},
			Sibling: writes(),
		},
		{
			ID: "F2", Title: "read the host's secrets, users and state", Boundary: "own root without the host's files",
			Attack:  Program{File: "F2.py", Expect: Expect{Held: []string{"canary", "search", "credentials", "state"}}},
			Control: Control{Shows: []string{"canary", "search"}},
			Sibling: writes(),
		},
		{
			ID: "F3", Title: "read other processes through /proc", Boundary: "own pid namespace, first process not readable",
			Attack: Program{File: "F3.py", Expect: Expect{Held: []string{
				"host_pid", "environ", "cmdline", "fd_of_1", "mem_of_1", "maps_of_1",
			}}},
			Sibling: looksAtItself(),
		},
		{
			ID: "F4", Title: "leave through the magic links of /proc", Boundary: "own root, entered by pivot",
			Attack: Program{File: "F4.py", Expect: Expect{Held: []string{
				"root", "root_up", "cwd", "init_root", "init_cwd", "any_root", "descriptor", "chroot",
			}}},
			Sibling: looksAtItself(),
		},
		{
			ID: "F5", Title: "patch the own process, then end badly", Boundary: "the end is the kernel's word",
			Attack: Program{File: "F5.py", Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusCrashed}, Causes: []cellwall.Cause{"exit:9"},
				Prints: []string{"PATCHED True"},
			}},
			Control: Control{Harness: "harness_believer.py", Shows: []string{"verdict"}},
			Sibling: looksAtItself(),
		},
		{
			ID: "F8", Title: "loosen the own control group or leave it", Boundary: "no control group file system, no mounts",
			Attack: Program{File: "F8.py", Expect: Expect{Held: []string{
				"mount_v1", "mount_v2", "mounted", "rewrite", "move_out",
			}}},
			Control: Control{
				Privileged: true, Shows: []string{"mount_v2", "mounted", "move_out"},
			},
			Sibling: looksAtItself(),
		},
		{
			ID: "F11", Title: "become root of a new user namespace", Boundary: "no user namespaces inside",
			Attack:  Program{File: "F11.py", Expect: Expect{Held: []string{"user", "user_and_mounts", "user_and_network", "clone3"}}},
			Sibling: runsChildren(),
		},
		{
			ID: "F33", Title: "change the input in place", Boundary: "read-only input",
			Attack: Program{File: "F33.py", Inputs: numbers(), Expect: Expect{Held: []string{
				"overwrite", "truncate", "chmod", "replace", "reopen", "create",
			}}},
			Sibling: readsInput(),
		},
	}
}
