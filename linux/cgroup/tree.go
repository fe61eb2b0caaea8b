package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// walk calls visit with the spot's group and every group below it.
func (s spot) walk(visit func(rel string) error) error {
	return walk(s.d, s.rel, visit)
}

func walk(d dir, rel string, visit func(rel string) error) error {
	if err := visit(rel); err != nil {
		return err
	}
	below, err := subgroups(d, rel)
	if err != nil {
		return err
	}
	for _, name := range below {
		if err := walk(d, path.Join(rel, name), visit); err != nil {
			return err
		}
	}
	return nil
}

// subgroups lists the groups directly below rel. The link count tells at the
// price of one call that there are none, which is the usual case.
func subgroups(d dir, rel string) ([]string, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, rel, &st, unix.AT_SYMLINK_NOFOLLOW)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at group %s: %w", path.Join(d.name, rel), err)
	}
	if st.Nlink == 2 {
		return nil, nil
	}
	return directories(path.Join(d.name, rel))
}

// directories lists the directories in a directory; one that is gone has none.
func directories(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	if err != nil && !gone(err) {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// removeBelow removes an empty group and the groups below it. EBUSY means that
// there are such groups, or that a process has not quite gone: it is tried again
// until ctx ends. A group that does not exist is removed.
func removeBelow(ctx context.Context, d dir, rel string) error {
	for wait := 200 * time.Microsecond; ; wait = min(2*wait, 10*time.Millisecond) {
		err := unix.Unlinkat(d.fd, rel, unix.AT_REMOVEDIR)
		if err == nil || gone(err) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("remove group %s: %w", path.Join(d.name, rel), err)
		}
		below, listErr := subgroups(d, rel)
		if listErr != nil {
			return listErr
		}
		for _, name := range below {
			if err := removeBelow(ctx, d, path.Join(rel, name)); err != nil {
				return err
			}
		}
		if len(below) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("remove group %s: %w (%w)", path.Join(d.name, rel), err, context.Cause(ctx))
		case <-time.After(wait):
		}
	}
}
