package cgroup

import (
	"context"
	"errors"
	"path"

	"golang.org/x/sys/unix"
)

// Empty ends every process of the group as [Group.Kill] does, and leaves group,
// limits and counters for others who come: what the lowered process limit
// refuses meanwhile is not counted. Nobody may enter the group while it lasts.
func (g *Group) Empty(ctx context.Context) error {
	g.mu.Lock()
	var before Events
	err := g.pidsEvents(&before)
	g.mu.Unlock()
	if err != nil {
		return err
	}
	if err := endAll(ctx, g.inst.spots(g.name)); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var after Events
	if err := errors.Join(g.reopen(), g.pidsEvents(&after)); err != nil {
		return err
	}
	g.ours += after.PIDsMax - before.PIDsMax
	return nil
}

// reopen takes the process limit of endAll back. The caller holds mu.
func (g *Group) reopen() error {
	if g.inst.h.treeOf(PIDs) < 0 {
		return nil
	}
	if g.limits.Processes > 0 {
		return g.at(PIDs).writeInt(g.name+"/pids.max", int64(g.limits.Processes))
	}
	return g.at(PIDs).write(g.name+"/pids.max", "max")
}

// ResetPeak has [Usage].MemoryPeak count from what is in use now. A kernel that
// cannot do that (v2 before Linux 6.12) goes on from the highest so far. The peak
// of processes cannot be reset on any.
func (g *Group) ResetPeak() error {
	if g.inst.h.treeOf(Memory) < 0 {
		return nil
	}
	if g.inst.h.Version == V1 {
		return g.at(Memory).write(g.name+"/memory.max_usage_in_bytes", "0")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.resetPeakV2()
}

// resetPeakV2 writes to the descriptor that Usage reads from: the kernel keeps
// a peak per descriptor. The caller holds mu.
func (g *Group) resetPeakV2() error {
	const file = "memory.peak"
	if !g.peakReset {
		fd, err := g.at(Memory).open(path.Join(g.name, file), unix.O_RDWR)
		switch {
		case errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOENT):
			return nil // nobody may write it: a kernel that cannot
		case err != nil:
			return err
		}
		if old, held := g.held[file]; held {
			unix.Close(old)
		}
		g.held[file], g.peakReset = fd, true
	}
	_, err := unix.Pwrite(g.held[file], []byte("0"), 0)
	if errors.Is(err, unix.EINVAL) { // root opens what has nobody to write to
		return nil
	}
	return err
}
