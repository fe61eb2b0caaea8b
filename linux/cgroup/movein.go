package cgroup

import (
	"fmt"
	"os"
	"path"
	"strconv"
)

// MoveIn moves a process of one thread into the group. What it has in memory
// stays charged to where it was. On v1 that takes 0.2 ms (tasks); on v2 it waits
// for a grace period, milliseconds in which nobody on the machine forks or exits.
// The number must be that of a process which is known not to have been reaped.
func (g *Group) MoveIn(pid int) error {
	file := "tasks"
	if g.inst.h.Version == V2 {
		file = "cgroup.procs"
	}
	for _, d := range g.inst.dirs {
		if err := d.writeInt(path.Join(g.name, file), int64(pid)); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether a process is in the group itself, in every tree.
func (g *Group) Has(pid int) (bool, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return false, fmt.Errorf("read group of process %d: %w", pid, err)
	}
	member, err := parseMembership(string(text))
	if err != nil {
		return false, err
	}
	for _, s := range g.inst.spots(g.name) {
		if member[s.key] != s.shown {
			return false, nil
		}
	}
	return true, nil
}

// Members lists the processes of the group itself, as this process counts.
func (g *Group) Members() ([]int, error) {
	s := g.inst.spots(g.name)[0]
	return s.pids(s.rel)
}
