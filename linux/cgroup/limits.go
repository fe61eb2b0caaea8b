package cgroup

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Limits is what all processes of a group may use together. A zero field sets
// no limit ([Instance.New]) or leaves it as it is ([Group.SetLimits]).
type Limits struct {
	MemoryBytes int64   // without swap; page cache and tmpfs pages count
	Processes   int     // processes and threads
	CPUs        float64 // cores; at least 0.01
	// OneByOne has want of memory end one process, the largest, in place of the
	// whole group: for processes that have nothing to do with each other. It is
	// set once, with the first limit of memory; version 1 knows nothing else.
	OneByOne bool
}

// period of the processor quota in microseconds, the kernel's default: v1 then
// needs one write less.
const period = 100_000

func (l Limits) validate() error {
	switch {
	case l.MemoryBytes < 0 || l.Processes < 0 || l.CPUs < 0:
		return fmt.Errorf("check limits: negative value in %+v", l)
	case l.CPUs != 0 && (l.CPUs < 0.01 || l.CPUs > 1<<20):
		return fmt.Errorf("check limits: %v cores is below 0.01 or absurd", l.CPUs)
	}
	return nil
}

// needs reports the first limit whose controller cannot be used.
func (l Limits) needs(h Hierarchy) error {
	for _, want := range []struct {
		set  bool
		name string
	}{{l.MemoryBytes > 0, Memory}, {l.Processes > 0, PIDs}, {l.CPUs > 0, CPU}} {
		if c := h.Controller(want.name); want.set && !c.OK {
			return &ControllerError{Controller: c.Name, Reason: c.Reason, Hint: c.Hint}
		}
	}
	return nil
}

// SetLimits changes the limits of a group, usually to narrow those of a sandbox
// that was opened ahead of need. It refuses (ErrInUse) to narrow memory below
// what is in use: v2 would end the group instead. It is not atomic: on an error
// some of the new limits may hold already.
func (g *Group) SetLimits(l Limits) error {
	if err := errors.Join(l.validate(), l.needs(g.inst.h)); err != nil {
		return err
	}
	return g.apply(l, false)
}

// apply writes the limits; a fresh group is known to be empty.
func (g *Group) apply(l Limits, fresh bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.MemoryBytes > 0 {
		if err := g.setMemory(l, fresh); err != nil {
			return err
		}
		g.limits.MemoryBytes = l.MemoryBytes
	}
	if l.Processes > 0 {
		if err := g.at(PIDs).writeInt(g.name+"/pids.max", int64(l.Processes)); err != nil {
			return err
		}
		g.limits.Processes = l.Processes
	}
	if l.CPUs > 0 {
		if err := g.setCPUs(l.CPUs); err != nil {
			return err
		}
		g.limits.CPUs = l.CPUs
	}
	return nil
}

func (g *Group) setCPUs(cores float64) error {
	quota := int64(cores * period)
	if g.inst.h.Version == V2 {
		return g.at(CPU).write(g.name+"/cpu.max", fmt.Sprintf("%d %d", quota, period))
	}
	return g.at(CPU).writeInt(g.name+"/cpu.cfs_quota_us", quota)
}

func (g *Group) setMemory(l Limits, fresh bool) error {
	if g.inst.h.Version == V2 {
		return g.setMemoryV2(l, fresh)
	}
	return g.setMemoryV1(l.MemoryBytes)
}

// setMemoryV1 keeps the kernel's rule that memory + swap is never below memory:
// narrow memory first, widen the sum first.
func (g *Group) setMemoryV1(n int64) error {
	d := g.at(Memory)
	files := []string{"/memory.limit_in_bytes", "/memory.memsw.limit_in_bytes"}
	if !g.inst.memsw {
		files = files[:1]
		if g.limits.MemoryBytes == 0 {
			if err := d.write(g.name+"/memory.swappiness", "0"); err != nil {
				return err
			}
		}
	} else if old := g.limits.MemoryBytes; old != 0 && n > old {
		files[0], files[1] = files[1], files[0]
	}
	for _, file := range files {
		if err := d.writeInt(g.name+file, n); err != nil {
			if errors.Is(err, unix.EBUSY) {
				return fmt.Errorf("%w: %w", ErrInUse, err)
			}
			return err
		}
	}
	return nil
}

// setMemoryV2 looks before it narrows: memory.max kills what does not fit.
func (g *Group) setMemoryV2(l Limits, fresh bool) error {
	d, n := g.at(Memory), l.MemoryBytes
	if g.limits.MemoryBytes == 0 {
		if !l.OneByOne {
			if err := d.write(g.name+"/memory.oom.group", "1"); err != nil {
				return err
			}
		}
		if g.inst.memsw {
			if err := d.write(g.name+"/memory.swap.max", "0"); err != nil {
				return err
			}
		}
	}
	if old := g.limits.MemoryBytes; !fresh && (old == 0 || n < old) {
		used, err := g.number(Memory, "memory.current")
		if err != nil {
			return err
		}
		if used > n {
			return fmt.Errorf("narrow %s/%s to %d bytes: %w: %d", d.name, g.name, n, ErrInUse, used)
		}
	}
	return d.writeInt(g.name+"/memory.max", n)
}
