package cgroup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Sweep ends and removes every instance below h's bases that alive denies, and
// returns the names of those it removed, sorted. It looks at nothing else: what
// alive confirms, what has no instance's name and what stands outside cellwall
// stays untouched. One that cannot be removed does not keep the others.
func Sweep(ctx context.Context, h Hierarchy, alive func(instance string) bool) ([]string, error) {
	var names []string
	for _, t := range h.trees {
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
		if !validName(name) || alive(name) {
			continue
		}
		if err := removeInstance(ctx, h, name); err != nil {
			errs = append(errs, fmt.Errorf("sweep instance %s: %w", name, err))
			continue
		}
		swept = append(swept, name)
	}
	return swept, errors.Join(errs...)
}

// removeInstance ends what lives in the instance, in all trees together so that
// nothing escapes by being in one only, and removes it.
func removeInstance(ctx context.Context, h Hierarchy, name string) error {
	var (
		spots []spot
		trees []tree
	)
	defer func() {
		for _, s := range spots {
			s.d.close()
		}
	}()
	for _, t := range h.trees {
		d, err := openDir(path.Join(t.dir(), home))
		if gone(err) {
			continue
		}
		if err != nil {
			return err
		}
		spots = append(spots, t.spot(d, name, t.instancePath(name)))
		trees = append(trees, t)
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
