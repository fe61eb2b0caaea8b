package cgroup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Group holds the processes of one sandbox.
type Group struct {
	inst *Instance
	name string

	mu        sync.Mutex
	limits    Limits
	held      map[string]int // descriptors of files read so far, by "controller/file"
	leaf      int            // directory for CLONE_INTO_CGROUP, -1 until asked for
	refused   int64          // pids.events max as Kill found it, -1 before
	ours      int64          // of it, what Empty refused
	peakReset bool           // v2: memory.peak is held by a descriptor that can be reset
}

// New makes the group <name> with the limits, empty. The name must be new; it
// follows the rule for instances. The error matches ErrUnavailable when a limit
// cannot be enforced here; nothing is left behind then.
func (i *Instance) New(name string, l Limits) (*Group, error) {
	if !validName(name) {
		return nil, fmt.Errorf("make group: %q is no valid name", clip(name))
	}
	if err := errors.Join(l.validate(), l.needs(i.h)); err != nil {
		return nil, err
	}
	g := &Group{inst: i, name: name, held: make(map[string]int), leaf: -1, refused: -1}
	for n, d := range i.dirs {
		if err := d.mkdir(name); err != nil {
			return nil, errors.Join(err, rmdirAll(i.dirs[:n], name))
		}
	}
	if err := errors.Join(i.admit(name), g.apply(l, true)); err != nil {
		return nil, errors.Join(err, g.Remove(context.Background()))
	}
	return g, nil
}

// at is the instance's directory in the tree of a controller that is known to be
// usable.
func (g *Group) at(controller string) dir { return g.inst.dirs[g.inst.h.treeOf(controller)] }

// Name returns the group's name.
func (g *Group) Name() string { return g.name }

// Limits returns the limits that hold.
func (g *Group) Limits() Limits {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.limits
}

// removePatience is how long Remove waits for the kernel to let go of a group
// whose last process has just died, when ctx does not end sooner.
const removePatience = 2 * time.Second

// Remove closes the group's descriptors and removes it. It must be empty, see
// Kill; one that is not stays EBUSY and is an error after two seconds.
func (g *Group) Remove(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, fd := range g.held {
		unix.Close(fd)
	}
	g.held = nil
	if g.leaf >= 0 {
		unix.Close(g.leaf)
		g.leaf = -1
	}
	ctx, cancel := context.WithTimeout(ctx, removePatience)
	defer cancel()
	for _, d := range g.inst.dirs {
		if err := removeBelow(ctx, d, g.name); err != nil {
			return err
		}
	}
	return g.warm(ctx)
}

// rmdirAll undoes mkdir in the given trees.
func rmdirAll(dirs []dir, name string) error {
	var errs []error
	for _, d := range dirs {
		if err := unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR); err != nil {
			errs = append(errs, fmt.Errorf("remove group %s: %w", path.Join(d.name, name), err))
		}
	}
	return errors.Join(errs...)
}
