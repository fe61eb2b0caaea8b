package cgroup

import (
	"errors"
	"fmt"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// Events is what the kernel counted against a group since it was made. Compare
// with zero, never with one. A counter whose controller is missing stays 0.
type Events struct {
	OOMKills      int64         // processes ended for lack of memory, groups below included on v2
	OOMGroupKills int64         // times the whole group was ended for it; v2, Linux 5.17
	PIDsMax       int64         // forks refused by the process limit
	Throttled     int64         // periods in which the processor quota ran out
	ThrottledFor  time.Duration // time that all processes together waited for quota
}

// Events reads the counters: one call per file once the descriptors are open,
// which is three calls. It may be asked after the last process has died, and
// until Remove.
func (g *Group) Events() (Events, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var e Events
	if err := g.memoryEvents(&e); err != nil {
		return Events{}, err
	}
	if err := g.pidsEvents(&e); err != nil {
		return Events{}, err
	}
	return e, g.cpuEvents(&e)
}

// OOMKills is that counter of Events alone, for one call.
func (g *Group) OOMKills() (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var e Events
	err := g.memoryEvents(&e)
	return e.OOMKills, err
}

func (g *Group) memoryEvents(e *Events) error {
	file := "memory.events"
	if g.inst.h.Version == V1 {
		file = "memory.oom_control"
	}
	values, err := g.flat(Memory, file)
	e.OOMKills, e.OOMGroupKills = values["oom_kill"], values["oom_group_kill"]
	return err
}

func (g *Group) pidsEvents(e *Events) error {
	if g.refused >= 0 { // Kill lowers the limit, so what came later is ours
		e.PIDsMax = g.refused
		return nil
	}
	values, err := g.flat(PIDs, "pids.events")
	e.PIDsMax = values["max"] - g.ours
	return err
}

func (g *Group) cpuEvents(e *Events) error {
	values, err := g.flat(CPU, "cpu.stat")
	e.Throttled = values["nr_throttled"]
	e.ThrottledFor = time.Duration(values["throttled_time"]) // v1, nanoseconds
	if g.inst.h.Version == V2 {
		e.ThrottledFor = time.Duration(values["throttled_usec"]) * time.Microsecond
	}
	return err
}

// Usage is what a group has used. -1 is "this kernel does not say".
type Usage struct {
	CPU           time.Duration // user and system time of all processes
	Memory        int64         // bytes now
	MemoryPeak    int64         // bytes at most; v2 since Linux 5.19
	ProcessesPeak int           // processes and threads at most; Linux 6.1
}

// Usage reads the counters: four calls once the descriptors are open.
func (g *Group) Usage() (Usage, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, peak := "memory.current", "memory.peak"
	if g.inst.h.Version == V1 {
		now, peak = "memory.usage_in_bytes", "memory.max_usage_in_bytes"
	}
	var (
		u    Usage
		errs [4]error
		n    int64
	)
	u.CPU, errs[0] = g.cpuTime()
	u.Memory, errs[1] = g.known(Memory, now)
	u.MemoryPeak, errs[2] = g.known(Memory, peak)
	n, errs[3] = g.known(PIDs, "pids.peak")
	u.ProcessesPeak = int(n)
	return u, errors.Join(errs[:]...)
}

// CPU is that of Usage alone. Unlike the other counters it leaves no descriptor open
// that was not, so that many groups can be asked now and then: three calls.
func (g *Group) CPU() (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, kept := g.held[g.cpuFile()]
	spent, err := g.cpuTime()
	if fd, open := g.held[g.cpuFile()]; open && !kept {
		unix.Close(fd)
		delete(g.held, g.cpuFile())
	}
	return spent, err
}

func (g *Group) cpuFile() string {
	if g.inst.h.Version == V1 {
		return "cpuacct.usage"
	}
	return "cpu.stat"
}

func (g *Group) cpuTime() (time.Duration, error) {
	if g.inst.h.Version == V1 {
		n, err := g.known(cpuacct, g.cpuFile()) // nanoseconds; -1 stays -1
		return time.Duration(n), err
	}
	fd, err := g.hold(g.inst.dirs[0], g.cpuFile()) // exists without the controller
	if err != nil {
		return -1, err
	}
	values, err := preadFlat(fd)
	return time.Duration(values["usage_usec"]) * time.Microsecond, err
}

// known reads a number, and -1 when controller or file do not exist.
func (g *Group) known(controller, file string) (int64, error) {
	if g.inst.h.treeOf(controller) < 0 {
		return -1, nil
	}
	n, err := g.number(controller, file)
	if errors.Is(err, unix.ENOENT) {
		return -1, nil
	}
	return n, err
}

func (g *Group) number(controller, file string) (int64, error) {
	fd, err := g.hold(g.at(controller), file)
	if err != nil {
		return 0, err
	}
	return preadNumber(fd)
}

// flat reads a flat-keyed file, and nothing when the controller is missing.
func (g *Group) flat(controller, file string) (map[string]int64, error) {
	if g.inst.h.treeOf(controller) < 0 {
		return nil, nil
	}
	fd, err := g.hold(g.at(controller), file)
	if err != nil {
		return nil, err
	}
	return preadFlat(fd)
}

// hold returns a descriptor of the file that stays open until Remove.
func (g *Group) hold(d dir, file string) (int, error) {
	if g.held == nil {
		return -1, fmt.Errorf("read %s of group %s: the group was removed", file, g.name)
	}
	if fd, ok := g.held[file]; ok {
		return fd, nil
	}
	fd, err := d.open(path.Join(g.name, file), unix.O_RDONLY)
	if err != nil {
		return -1, err
	}
	g.held[file] = fd
	return fd, nil
}
