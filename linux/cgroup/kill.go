package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Kill sends SIGKILL to every process of the group and of groups below it until
// none is left, and returns when the kernel says so. It is meant for the end: where
// the kernel has no cgroup.kill (v1, or before Linux 5.14) it lowers the process limit to nothing, so that a fork bomb cannot outrun
// it; [Group.Events] keeps the count of before. When ctx ends first the error
// wraps its cause. Processes of the calling process itself (threads that joined)
// are never signalled but waited for.
func (g *Group) Kill(ctx context.Context) error {
	if err := g.keepRefusals(); err != nil {
		return err
	}
	return endAll(ctx, g.inst.spots(g.name))
}

// Populated reports whether any process, zombies excepted, is in the group or
// below it.
func (g *Group) Populated() (bool, error) {
	for _, s := range g.inst.spots(g.name) {
		if busy, err := s.populated(); busy || err != nil {
			return busy, err
		}
	}
	return false, nil
}

func (g *Group) keepRefusals() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused >= 0 {
		return nil
	}
	var e Events
	if err := g.pidsEvents(&e); err != nil {
		return err
	}
	g.refused = e.PIDsMax
	return nil
}

// spot is one group in one tree.
type spot struct {
	d     dir
	rel   string
	key   string // the tree's name in /proc/PID/cgroup
	shown string // the group's path there
	v2    bool
}

func (i *Instance) spots(group string) []spot {
	spots := make([]spot, len(i.dirs))
	for n, d := range i.dirs {
		spots[n] = i.h.trees[n].spot(d, group, path.Join(i.shown[n], group))
	}
	return spots
}

func (t tree) spot(d dir, rel, shown string) spot {
	s := spot{d: d, rel: rel, shown: shown, v2: t.mount.v2}
	if !s.v2 {
		s.key = t.controllers[0]
	}
	return s
}

// endAll kills and looks in turns. The waits grow from 0.2 to 5 ms.
func endAll(ctx context.Context, spots []spot) error {
	for wait := 200 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		left := 0
		for _, s := range spots {
			n, err := s.signal()
			if err != nil {
				return err
			}
			left += n
		}
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kill group %s: %d processes left: %w", spots[0].shown, left, context.Cause(ctx))
		case <-time.After(wait):
		}
	}
}

// signal kills what is in the spot now and returns how many there were.
func (s spot) signal() (int, error) {
	if s.v2 {
		err := s.d.write(path.Join(s.rel, "cgroup.kill"), "1")
		switch {
		case err == nil:
			busy, err := s.populated()
			if busy {
				return 1, err
			}
			return 0, err
		case !gone(err): // before Linux 5.14 the file is not there either
			return 0, err
		}
	}
	count := 0
	err := s.walk(func(rel string) error {
		pids, err := s.pids(rel)
		if err != nil {
			return err
		}
		if count += len(pids); len(pids) > 0 {
			err := s.d.write(path.Join(rel, "pids.max"), "0")
			if err != nil && !gone(err) {
				return err
			}
		}
		for _, pid := range pids {
			if err := s.killMember(pid); err != nil {
				return err
			}
		}
		return nil
	})
	return count, err
}

// killMember signals pid if it is still in the spot. The pidfd is taken before
// the look, so the number cannot have passed to somebody else in between.
func (s spot) killMember(pid int) error {
	if pid == os.Getpid() {
		return nil
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) { // ended
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read group of process %d: %w", pid, err)
	}
	member, err := parseMembership(string(text))
	if err != nil {
		return err
	}
	if at := member[s.key]; at != s.shown && !strings.HasPrefix(at, s.shown+"/") {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}

// populated asks v2 for one word and walks the subtree on v1.
func (s spot) populated() (bool, error) {
	if s.v2 {
		text, err := s.d.read(path.Join(s.rel, "cgroup.events"))
		if gone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		values, err := parseFlat(text)
		return values["populated"] != 0, err
	}
	busy := false
	err := s.walk(func(rel string) error {
		pids, err := s.pids(rel)
		busy = busy || len(pids) > 0
		return err
	})
	return busy, err
}

// pids lists one group, without those below. The file is opened anew each time:
// v1 goes on showing an open file the list that it was opened with.
func (s spot) pids(rel string) ([]int, error) {
	text, err := s.d.read(path.Join(rel, "cgroup.procs"))
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePIDs(text)
}
