package abuse

import (
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

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
			ID: "F16", Title: "links to what never ends", Boundary: "harvest beneath a descriptor, no links",
			Attack: Program{File: "F16.py", Expect: Expect{
				Prints: []string{"LINKS 11"}, Kept: []string{"plain.txt"},
				Skipped: []string{
					"zero.bin", "random.csv", "second.txt", "first.txt", "up.bin", "self.bin", "stdin.txt", "memory.bin", "full.bin", "devices",
				},
			}},
			Control: Control{Judge: func(x Exhibit) []Problem {
				for _, name := range []string{"zero.bin", "random.csv", "second.txt"} {
					if c := x.Files[name]; !c.Outside || len(c.Data) < 64<<10 {
						return []Problem{Problem(fmt.Sprintf("a naive collector read only %d bytes of %s", len(c.Data), name))}
					}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
		{
			ID: "F19", Title: "one file under many names, and names for others' files", Boundary: "harvest takes files of one name only",
			Attack: Program{File: "F19.py", Inputs: numbers(), Expect: Expect{
				Held: []string{"passwd", "input", "descriptor"}, Prints: []string{"LINKS 100"}, Kept: []string{"plain.txt"},
				Skipped: []string{"big.bin", "big-01.bin", "big-98.bin"},
				Judge: func(o Outcome) []Problem {
					if n := len(o.Result.Artifacts); n != 1 {
						return []Problem{Problem(fmt.Sprintf("%d artifacts were taken, want plain.txt alone", n))}
					}
					return nil
				},
			}},
			Control: Control{Shows: []string{"input", "descriptor"}, Judge: func(x Exhibit) []Problem {
				var sum int64
				for _, c := range x.Files {
					sum += c.Size
				}
				if sum < 100*4*cellwall.MiB {
					return []Problem{Problem(fmt.Sprintf("a naive collector took only %d bytes from 4 MiB", sum))}
				}
				return nil
			}},
			Sibling: leavesArtifacts(),
		},
	}
}
