package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Freeze stops every process of the group itself where it stands, and returns
// when none runs any more. They do not notice, keep all that they have, and can
// be killed. It needs the tree of version 2, also where version 1 limits: without
// it the error matches ErrUnavailable. When it fails the group goes on.
func (g *Group) Freeze(ctx context.Context) error {
	s, err := g.cold()
	if err == nil {
		err = g.freeze(ctx, s)
	}
	if err != nil {
		return fmt.Errorf("freeze group %s: %w", g.name, err)
	}
	return nil
}

// Thaw lets a frozen group go on. One that is not frozen stays as it is.
func (g *Group) Thaw() error {
	s, err := g.cold()
	if err == nil {
		err = s.d.write(path.Join(s.rel, "cgroup.freeze"), "0")
	}
	if err != nil {
		return fmt.Errorf("thaw group %s: %w", g.name, err)
	}
	return nil
}

// freeze stops whoever is in the spot, and then whoever is not there yet: what
// enters a frozen group stops there, so that nobody can fork ahead of it for long.
// It waits for threads of its own process, see Inside: it would stop itself.
func (g *Group) freeze(ctx context.Context, s spot) error {
	err := s.d.write(path.Join(s.rel, "cgroup.freeze"), "1")
	for wait := 200 * time.Microsecond; err == nil; wait = min(2*wait, 5*time.Millisecond) {
		var outside int
		if outside, err = g.gather(s); err != nil {
			break
		}
		var still bool
		if still, err = s.frozen(); err == nil && still && outside == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-time.After(wait):
		}
	}
	return errors.Join(err, s.d.write(path.Join(s.rel, "cgroup.freeze"), "0"))
}

func (s spot) frozen() (bool, error) {
	text, err := s.d.read(path.Join(s.rel, "cgroup.events"))
	if err != nil {
		return false, err
	}
	values, err := parseFlat(text)
	return values["frozen"] != 0, err
}

// gather moves what is in the group, but not in the spot, there. It returns how
// many those were.
func (g *Group) gather(s spot) (outside int, err error) {
	if g.inst.h.Version == V2 {
		return 0, nil // the spot is the group
	}
	inside, err := s.pids(s.rel)
	if err != nil {
		return 0, err
	}
	members, err := g.Members()
	if err != nil {
		return 0, err
	}
	for _, pid := range members {
		if slices.Contains(inside, pid) {
			continue
		}
		outside++
		if pid == os.Getpid() {
			continue // a thread of ours that was inside has not ended yet
		}
		err := s.d.write(path.Join(s.rel, "cgroup.procs"), strconv.Itoa(pid))
		if err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
			return outside, err
		}
	}
	return outside, nil
}

// cold is where the group is frozen: on version 2 where it is, on version 1 in a
// group of the same name in the tree of version 2, which needs no controllers for
// that and, unlike the freezer of version 1, lets the frozen be killed.
func (g *Group) cold() (spot, error) {
	if g.inst.h.Version == V2 {
		return g.inst.spots(g.name)[0], nil
	}
	d, err := g.inst.freezerDir()
	if err != nil {
		return spot{}, err
	}
	if err := d.mkdir(g.name); err != nil && !errors.Is(err, unix.EEXIST) {
		return spot{}, err
	}
	t := *g.inst.h.freezer
	return t.spot(d, g.name, path.Join(t.instancePath(g.inst.name), g.name)), nil
}

// freezerDir makes the instance in the freezer's tree when it is asked for the
// first time: hardly any controller ever freezes.
func (i *Instance) freezerDir() (dir, error) {
	i.freezing.Lock()
	defer i.freezing.Unlock()
	if i.freezer != nil {
		return *i.freezer, nil
	}
	if i.h.freezer == nil {
		return dir{}, &ControllerError{
			Controller: "freezer", Reason: "this process can make no group in a tree of version 2",
			Hint: "mount the unified hierarchy, writable for this user",
		}
	}
	d, err := i.makeDirs(*i.h.freezer)
	if err != nil {
		return dir{}, err
	}
	i.freezer = &d
	return d, nil
}

// warm removes the group's twin in the freezer's tree, if it has one.
func (g *Group) warm(ctx context.Context) error {
	g.inst.freezing.Lock()
	d := g.inst.freezer
	g.inst.freezing.Unlock()
	if d == nil {
		return nil
	}
	return removeBelow(ctx, *d, g.name)
}
