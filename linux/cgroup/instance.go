package cgroup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Instance is the part of the trees that one controller owns.
type Instance struct {
	h     Hierarchy
	name  string
	dirs  []dir // one per tree: <base>/cellwall/<instance>
	memsw bool  // v1 memory.memsw, v2 memory.swap.max exist
	lease lease // says that we live
	mover int   // who may clone into groups, see Admit; 0 = root alone

	freezing sync.Mutex
	freezer  *dir // the instance in the freezer's tree, once somebody was frozen

	shown []string // cgroup path of the instance, per tree
	notes []string
}

// NewInstance makes cellwall/<name> in every tree of h. The name is letters,
// digits, "-" and "_", at most 64. An instance that exists already is taken over
// as it is, unless somebody lives in it: that is an error. On v2 it enables the controllers from the base down; a delegated
// base that has processes of its own, this one among them, first has them moved
// into its group "cellwall.self".
func NewInstance(h Hierarchy, name string) (*Instance, error) {
	if !validName(name) {
		return nil, fmt.Errorf("make instance: %q is no valid name", clip(name))
	}
	if h.Version == None {
		c := h.Controller(Memory)
		return nil, &ControllerError{Controller: c.Name, Reason: c.Reason, Hint: c.Hint}
	}
	i := &Instance{h: h, name: name}
	for _, t := range h.trees {
		d, err := i.makeDirs(t)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("make instance: %w", err), i.Close())
		}
		i.dirs = append(i.dirs, d)
		i.shown = append(i.shown, t.instancePath(name))
	}
	i.probeSwap()
	return i, nil
}

// makeDirs makes both levels in one tree. Another instance that closes may
// remove the common parent between our steps: then we begin again.
func (i *Instance) makeDirs(t tree) (dir, error) {
	var err error
	for range 10 {
		var d dir
		if d, err = i.tryDirs(t); err == nil || !gone(err) {
			return d, err
		}
	}
	return dir{fd: -1}, err
}

func (i *Instance) tryDirs(t tree) (dir, error) {
	base, err := openDir(t.dir())
	if err != nil {
		return base, err
	}
	defer base.close()
	if t.mount.v2 {
		if err := handDown(base, t.controllers); err != nil {
			return dir{fd: -1}, err
		}
	}
	for _, name := range []string{home, path.Join(home, i.name)} {
		mode := uint32(0o755)
		if name != home {
			mode = 0o700 // who may not open it cannot hold its lease
		}
		if err := base.mkdirMode(name, mode); err != nil && !errors.Is(err, unix.EEXIST) {
			return dir{fd: -1}, err
		}
		if name != home {
			if err := i.lease.await(t, base, name); err != nil {
				return dir{fd: -1}, err
			}
		}
		d, err := openDir(path.Join(base.name, name))
		if err != nil {
			return d, err
		}
		if err := prepare(d, t); err != nil {
			d.close()
			return dir{fd: -1}, err
		}
		if name != home {
			return d, nil
		}
		d.close()
	}
	return dir{fd: -1}, unix.ENOENT // not reached: the second name returns
}

// prepare gives an inner group its weight and, on v2, hands controllers down.
func prepare(d dir, t tree) error {
	cpus := int64(runtime.NumCPU())
	for _, controller := range t.controllers {
		switch {
		case controller == CPU && t.mount.v2:
			if err := d.writeInt("cpu.weight", min(100*cpus, 10_000)); err != nil {
				return err
			}
		case controller == CPU:
			if err := d.writeInt("cpu.shares", min(1024*cpus, 1<<18)); err != nil {
				return err
			}
		case controller == Memory && !t.mount.v2:
			// Kernels before 5.11 may not count what is below a group.
			if on, err := d.read("memory.use_hierarchy"); err == nil && on == "0\n" {
				if err := d.write("memory.use_hierarchy", "1"); err != nil {
					return err
				}
			}
		}
	}
	if t.mount.v2 {
		return handDown(d, t.controllers)
	}
	return nil
}

// probeSwap looks whether swap can be limited and says so when it cannot.
func (i *Instance) probeSwap() {
	n := i.h.treeOf(Memory)
	if n < 0 {
		return
	}
	file := "memory.swap.max"
	if i.h.Version == V1 {
		file = "memory.memsw.limit_in_bytes"
	}
	if i.memsw = i.dirs[n].exists(file); i.memsw {
		return
	}
	if i.h.Version == V1 {
		i.notes = append(i.notes, "the kernel does not account swap (boot with swapaccount=1): groups use memory.swappiness=0 instead")
	} else {
		i.notes = append(i.notes, "the kernel has no swap controller: swap is not limited where the host has any")
	}
}

// Name returns the instance's name.
func (i *Instance) Name() string { return i.name }

// Hierarchy returns what the instance was made in.
func (i *Instance) Hierarchy() Hierarchy { return i.h }

// Notes says what is weaker than it should be on this host, in sentences.
func (i *Instance) Notes() []string { return i.notes }

// closePatience bounds how long Close waits for killed processes to go.
const closePatience = 5 * time.Second

// Close ends every process that is still in a group of the instance, removes
// all its groups and the instance itself, and cellwall when it was the last. It
// must be the last call on the instance and its groups.
func (i *Instance) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err := removeInstance(ctx, i.lease.trees, i.name)
	i.letGo()
	return err
}

// letGo closes all that the instance holds.
func (i *Instance) letGo() {
	for _, d := range i.dirs {
		d.close()
	}
	if i.freezer != nil {
		i.freezer.close()
	}
	i.dirs, i.freezer = nil, nil
	i.lease.release()
}
