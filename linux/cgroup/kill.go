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
