package native

import (
	"maps"
	"os"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// population is who is in a group of the kernel's control groups. Numbers are as
// the sandbox counts.
type population struct {
	hosts   map[int]int  // threads, as this process counts, and their groups of processes
	numbers map[int]bool // processes and threads
	groups  map[int]bool // groups of processes that members are in
}

func nobody() population {
	return population{hosts: map[int]int{}, numbers: map[int]bool{}, groups: map[int]bool{}}
}

// headcount looks at the cells' processes. A group of processes that a snapshot
// is in too is not theirs.
func headcount(run, snapshots *cgroup.Group) population {
	p := populationOf(run)
	if snapshots != nil {
		apart := populationOf(snapshots)
		maps.DeleteFunc(p.groups, func(group int, _ bool) bool { return apart.groups[group] })
	}
	return p
}

// populationOf looks at every thread of a control group. Who ends meanwhile is
// not in it.
func populationOf(group *cgroup.Group) population {
	p := nobody()
	tids, err := group.Threads()
	if err != nil {
		return p // nobody is found, so nobody can be reached
	}
	for _, tid := range tids {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status")
		if err != nil {
			continue
		}
		p.add(tid, string(text))
	}
	return p
}

// add reads what the kernel says of a thread.
func (p population) add(tid int, status string) {
	p.hosts[tid] = 0
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		n := innermost(value)
		if n <= 0 { // not of a sandbox, or led from outside
			continue
		}
		switch key {
		case "NSpid", "NStgid":
			p.numbers[n] = true
		case "NSpgid":
			p.groups[n] = true
			p.hosts[tid] = n
		}
	}
}

// innermost is the last of a list of numbers, that of the sandbox's namespace; 0
// when there is no other.
func innermost(list string) int {
	fields := strings.Fields(list)
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return 0
	}
	return n
}
