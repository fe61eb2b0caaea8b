package cgroup

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// lease is the kernel's word that somebody lives in an instance: a lock on its
// directory, one per tree, which goes with its holder however that ends. No
// path, no number of a process and no clock is part of it, so that whoever sees
// the tree may judge, also one who knows nothing of the holder.
type lease struct {
	fds   []int
	trees []tree // where it is held; nothing may be removed elsewhere
}

// errLeased says that somebody else holds it.
var errLeased = errors.New("the instance is in use")

// add locks the group rel of d, which is in t, or fails with errLeased. A group that was
// removed before the lock was ours fails like one that is not there.
func (l *lease) add(t tree, d dir, rel string) error {
	fd, err := d.open(rel, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errLeased
	}
	if err == nil {
		err = same(fd, d, rel)
	}
	if err != nil {
		unix.Close(fd)
		return fmt.Errorf("lock group %s/%s: %w", d.name, rel, err)
	}
	l.fds = append(l.fds, fd)
	l.trees = append(l.trees, t)
	return nil
}

// same fails with ENOENT unless rel still leads to what fd is.
func same(fd int, d dir, rel string) error {
	var held, named unix.Stat_t
	if err := unix.Fstat(fd, &held); err != nil {
		return err
	}
	if err := unix.Fstatat(d.fd, rel, &named, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if held.Ino != named.Ino {
		return unix.ENOENT
	}
	return nil
}

// leasePatience bounds how long somebody who sweeps may take.
const leasePatience = 2 * time.Second

// await adds as soon as whoever sweeps the group has let it go. In a tree where
// the lease is held already there is nobody to wait for but ourselves.
func (l *lease) await(t tree, d dir, rel string) error {
	if l.holds(t, d, rel) {
		return nil
	}
	patience := time.After(leasePatience)
	for {
		err := l.add(t, d, rel)
		if !errors.Is(err, errLeased) {
			return err
		}
		select {
		case <-patience:
			return err
		case <-time.After(time.Millisecond):
		}
	}
}

// holds reports whether the lease of the group rel is held in t, and lets go of
// that of a group which was removed since.
func (l *lease) holds(t tree, d dir, rel string) bool {
	n := slices.IndexFunc(l.trees, func(held tree) bool { return held.dir() == t.dir() })
	if n < 0 {
		return false
	}
	if same(l.fds[n], d, rel) == nil {
		return true
	}
	unix.Close(l.fds[n])
	l.fds, l.trees = slices.Delete(l.fds, n, n+1), slices.Delete(l.trees, n, n+1)
	return false
}

func (l *lease) release() {
	for _, fd := range l.fds {
		unix.Close(fd)
	}
	l.fds, l.trees = nil, nil
}
