package abuse

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// files returns the cases of letter F.
func files() []Case { return append(roots(), append(leavings(), space()...)...) }

// roots are attempts on what is not the program's own.
func roots() []Case {
	return []Case{
		{
			ID: "F1", Title: "write to the root, the interpreter and its packages", Boundary: "read-only root",
			Attack: Program{File: "F1.py", Expect: Expect{Held: []string{
				"root", "usr", "etc", "stdlib", "site-packages", "bin", "overwrite", "chmod", "rename",
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

// leavings are what a program leaves for the controller to stumble over.
func leavings() []Case {
	return []Case{
		{
			ID: "F15", Title: "links as artifacts", Boundary: "harvest beneath a descriptor, no links",
			Attack: Program{File: "F15.py", Expect: Expect{
				Prints: []string{"LINKS 10"}, Kept: []string{"plain.txt"},
				Skipped: []string{
					"canary.txt", "passwd.csv", "environ.txt", "relative.txt", "folder", "dangling.txt", "loop.txt",
					"endless.bin", "twin.txt",
				},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				c, endless := x.Files["canary.txt"], x.Files["endless.bin"]
				if !c.Outside || !strings.Contains(string(c.Data), x.World.Token) || len(endless.Data) < 64<<10 {
					return []Problem{"a naive collector did not follow the links"}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F17", Title: "a survivor swaps files while they are collected", Boundary: "harvest after every process is dead",
			Attack: Program{File: "F17.py", Expect: Expect{
				Prints: []string{"SWAPPING"},
				Judge: func(o Outcome) []Problem {
					if text, taken := o.Files["swap.txt"]; taken && string(text) != "real" && string(text) != "" {
						return []Problem{Problem(fmt.Sprintf("swap.txt holds %q", clip(string(text))))}
					}
					return nil
				},
			}},
			Control: Control{Judge: survives},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F18", Title: "links where a controller would write", Boundary: "the controller writes nothing where code ran",
			Attack:  Program{File: "F18.py", Expect: Expect{Prints: []string{"PLANTED True"}}},
			Control: Control{Harness: "harness_writer.py", Shows: []string{"owned"}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F20", Title: "pipes, sockets and devices as artifacts", Boundary: "harvest opens regular files only",
			Attack: Program{File: "F20.py", Expect: Expect{
				Held: []string{"device"}, Kept: []string{"plain.txt"}, Skipped: []string{"pipe.csv"},
				Judge: func(o Outcome) []Problem { return noneOf(o, "pipe.csv", "socket.csv", "device.bin") },
			}},
			Control: Control{
				Shows: []string{"device"}, Privileged: true,
				Judge: func(x Exhibit) []Problem {
					if !x.Files["pipe.csv"].Blocked {
						return []Problem{"a naive collector did not block on the pipe"}
					}
					return nil
				},
			},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F21", Title: "names that break lists and terminals", Boundary: "names are shown escaped",
			Attack:  Program{File: "F21.py", Expect: Expect{Prints: []string{"MADE 25"}, Judge: namesArePlain(25)}},
			Control: Control{Judge: rawNames("\x1b", "\n", "\u202e")},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F22", Title: "names that are no text", Boundary: "names are bytes, shown escaped",
			Attack: Program{File: "F22.py", Expect: Expect{
				Prints: []string{"MADE 5"}, Kept: []string{"plain.txt"}, Skipped: []string{`bad\xff\xfename.csv`, `\x80`, `half\xe4\xb8.txt`},
				Judge: namesArePlain(5),
			}},
			Control: Control{Judge: rawNames("\ufffd")},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F23", Title: "a tree deeper than any path", Boundary: "bounded walk",
			Attack: Program{File: "F23.py", Limits: cellwall.Limits{WorkspaceInodes: 2048}, Expect: Expect{
				Prints: []string{"DEEP True"}, Kept: []string{"plain.txt"},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stdout, "DEEP True") {
					return []Problem{"no deep tree came to be"}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F25", Title: "files that say they are large and hold nothing", Boundary: "apparent sizes count",
			Attack: Program{File: "F25.py", Expect: Expect{
				Prints: []string{"SIZES True"}, Kept: []string{"plain.txt"},
				Judge: func(o Outcome) []Problem {
					return append(noneOf(o, "sparse.bin", "half.bin"), withinCaps(o, cellwall.DefaultLimits())...)
				},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if x.Files["sparse.bin"].Size < 1<<30 && x.Files["half.bin"].Size < 1<<30 {
					return []Problem{"no sparse file came to be"}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
	}
}

// space are attempts on how much there is.
func space() []Case {
	small := cellwall.Limits{WorkspaceBytes: 16 * cellwall.MiB, TmpBytes: 16 * cellwall.MiB}
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
	}
}
