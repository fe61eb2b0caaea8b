package cgroup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Fate is what [Sweep] is to do with an instance in which nobody lives.
type Fate int

const (
	// Leave it: it is not the caller's to judge.
	Leave Fate = iota
	// RemoveEmpty removes it where no process is left in it.
	RemoveEmpty
	// End ends its processes and removes it.
	End
)

// Sweep removes instances below h's bases in which nobody lives, as fate says,
// and returns the names of those it removed, sorted. An instance whose lease is
// held is left whatever fate says, and Sweep holds the lease while it removes,
// so that nobody moves in meanwhile. It looks at nothing that has no instance's
// name and nothing outside cellwall. One that cannot be removed does not keep
// the others.
func Sweep(ctx context.Context, h Hierarchy, fate func(instance string) Fate) ([]string, error) {
	var names []string
	for _, t := range h.all() {
		found, err := directories(path.Join(t.dir(), home))
		if err != nil {
			return nil, fmt.Errorf("sweep groups: %w", err)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	var (
		swept []string
		errs  []error
	)
	for _, name := range slices.Compact(names) {
		if !validName(name) {
			continue
		}
		removed, err := sweepInstance(ctx, h, name, fate(name))
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep instance %s: %w", name, err))
		} else if removed {
			swept = append(swept, name)
		}
	}
	return swept, errors.Join(errs...)
}

func sweepInstance(ctx context.Context, h Hierarchy, name string, fate Fate) (removed bool, err error) {
	if fate == Leave {
		return false, nil
	}
	free, err := leaseAll(h, name)
	if errors.Is(err, errLeased) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer free.release()
	if fate == RemoveEmpty {
		if busy, err := populated(free.trees, name); busy || err != nil {
			return false, err
		}
	}
	return true, removeInstance(ctx, free.trees, name)
}

// leaseAll takes the lease of an instance in every tree that has it.
func leaseAll(h Hierarchy, name string) (l *lease, err error) {
	l = &lease{}
	for _, t := range h.all() {
		d, err := openDir(path.Join(t.dir(), home))
		if err == nil {
			err = l.add(t, d, name)
			d.close()
		}
		if err != nil && !gone(err) {
			l.release()
			return nil, err
		}
	}
	return l, nil
}

// Stands reports whether anything of an instance is there, in any tree.
func Stands(h Hierarchy, name string) bool {
	return slices.ContainsFunc(h.all(), func(t tree) bool {
		var st unix.Stat_t
		return unix.Lstat(path.Join(t.dir(), home, name), &st) == nil
	})
}

// populated reports whether a process is in any group of the instance.
func populated(trees []tree, name string) (bool, error) {
	for _, t := range trees {
		d, err := openDir(path.Join(t.dir(), home))
		if gone(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		busy, err := t.spot(d, name, t.instancePath(name)).populated()
		d.close()
		if busy || err != nil {
			return busy, err
		}
	}
	return false, nil
}

// removeInstance ends what lives in the instance, in all trees together so that
// nothing escapes by being in one only, and removes it. The caller has its lease.
func removeInstance(ctx context.Context, trees []tree, name string) error {
	var spots []spot
	defer func() {
		for _, s := range spots {
			s.d.close()
		}
	}()
	for _, t := range trees {
		d, err := openDir(path.Join(t.dir(), home))
		if err != nil {
			return err
		}
		spots = append(spots, t.spot(d, name, t.instancePath(name)))
	}
	if err := endAll(ctx, spots); err != nil {
		return err
	}
	for n, s := range spots {
		if err := removeBelow(ctx, s.d, name); err != nil {
			return err
		}
		// The common parent goes with its last instance; others keep it (EBUSY).
		err := unix.Rmdir(path.Join(trees[n].dir(), home))
		if err != nil && !errors.Is(err, unix.EBUSY) && !gone(err) {
			return fmt.Errorf("remove group %s: %w", home, err)
		}
	}
	return nil
}
