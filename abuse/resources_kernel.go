package abuse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// lasting are attempts to make the kernel keep something, for this run or beyond.
func lasting() []Case {
	return []Case{
		{
			ID: "R58", Title: "swap, which no limit counts", Boundary: "no swap in the group", Needs: []string{MemoryLimit},
			Attack:  Program{File: "R58.py", Expect: Expect{Held: []string{"swap"}}},
			Control: Control{Unshown: &Unshown{Why: "the attack needs a host that swaps", Probe: withoutSwap}},
			Sibling: usesMemory(cellwall.Limits{}),
		},
		{
			ID: "R59", Title: "objects that outlive their maker", Boundary: "system calls by allow-list, own IPC namespace", Runs: 2,
			Attack:  Program{File: "R59.py", Expect: Expect{Held: []string{"stays", "memory", "semaphore", "queue", "posix_queue"}}},
			Sibling: usesMemory(cellwall.Limits{}),
		},
		{
			ID: "R60", Title: "memory that the kernel keeps for a process", Needs: []string{MemoryLimit},
			Boundary: "limits of the process, kernel memory in the limit of the group",
			Attack: Program{File: "R60.py", Limits: cellwall.Limits{MemoryBytes: 128 * cellwall.MiB}, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusMemoryLimit}, Causes: []cellwall.Cause{cellwall.CauseOOM},
				Held: []string{"descriptors", "pipes", "epolls", "timers", "watches", "large_pipes"}, Prints: []string{"FILLING"},
			}},
			Control: Control{Privileged: true, Shows: []string{"descriptors", "pipes", "epolls", "timers", "watches", "large_pipes", "buffers"}},
			Sibling: usesSockets(),
		},
	}
}

// withoutSwap looks whether this host swaps at all.
func withoutSwap() (proof string, lacking bool) {
	text, err := os.ReadFile("/proc/swaps")
	if err != nil {
		return fmt.Sprint(err), errors.Is(err, fs.ErrNotExist) // a kernel without swap has no such file
	}
	devices := strings.Count(strings.TrimSpace(string(text)), "\n")
	return fmt.Sprintf("/proc/swaps lists %d devices", devices), devices == 0
}

// machine are attempts on what all of a machine shares.
func machine() []Case {
	second := cellwall.Limits{Timeout: time.Second}
	clocks := []string{"settime", "settimeofday", "adjtimex", "clock_adjtime"}
	return []Case{
		{
			ID: "R70", Title: "turn the clock back", Boundary: "system calls by allow-list; deadline on the host's clock",
			Attack: Program{File: "R70.py", Limits: second, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusTimeout}, Causes: []cellwall.Cause{cellwall.CauseDeadline},
				Held: clocks, Prints: []string{"FROZEN"}, Within: guard,
			}},
			Control: Control{Privileged: true, Shows: append([]string{"deadline"}, clocks...)},
			Sibling: works(second),
		},
		{
			ID: "R73", Title: "what only an administrator does", Boundary: "system calls by allow-list, no capabilities",
			Attack: Program{File: "R73.py", Expect: Expect{Held: []string{
				"segments", "personality", "ports", "port_range", "log", "module", "module_file", "module_gone",
				"kexec", "reboot", "swap", "swap_off", "accounting", "quota",
			}}},
			Control: Control{Privileged: true},
			Sibling: callsNative(),
		},
		{
			ID: "R74", Title: "filters of one's own", Boundary: "a filter can only take away; ours has the only listener", Runs: 3,
			Attack: Program{File: "R74.py", Limits: second, Expect: Expect{
				Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusTimeout, cellwall.StatusCrashed},
				Held:     []string{"override", "listener"}, Prints: []string{"RESTRICTED"}, Judge: gagged,
			}},
			Sibling: callsNative(),
		},
		{
			ID: "R78", Title: "words in the terminal of whoever started it", Boundary: "no terminal, ioctl by allow-list",
			Attack:  Program{File: "R78.py", Expect: Expect{Held: []string{"inject", "foreground", "take", "terminal", "pseudo"}}},
			Control: Control{Harness: "harness_terminal.py", Privileged: true},
			Sibling: readsInput(),
		},
	}
}

// gagged demands of R74 that a program ends well while its filter lets it say so
// (the first loses a call, the second what it prints), and not when it cannot.
func gagged(o Outcome) []Problem {
	if wantOK := o.World.Run < 2; o.Result.OK != wantOK {
		return []Problem{Problem(fmt.Sprintf("ok is %v (%s, %s), want %v", o.Result.OK, o.Result.Status, o.Result.Cause, wantOK))}
	}
	return nil
}
