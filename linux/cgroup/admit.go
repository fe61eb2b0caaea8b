package cgroup

import (
	"fmt"
	"path"

	"golang.org/x/sys/unix"
)

// Admit lets uid, a user of this host, move processes between groups that the
// instance makes from now on, and clone into them: root's descriptor of a group
// is not enough for a process that is not root, since version 2 looks at who
// clones, and at the nearest group above both where that one is and where it
// clones into. So whoever is admitted has to live in a group of the instance
// itself. On version 1 a descriptor that root opened is enough, and nothing is
// done.
func (i *Instance) Admit(uid int) error {
	if i.h.Version != V2 {
		return nil
	}
	i.mover = uid
	return i.admit(".")
}

// admit gives one group's list of processes away, and nothing else of it: no
// limit, and no right to make groups.
func (i *Instance) admit(rel string) error {
	if i.mover == 0 {
		return nil
	}
	file := path.Join(rel, "cgroup.procs")
	if err := unix.Fchownat(i.dirs[0].fd, file, i.mover, -1, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("admit user %d to %s: %w", i.mover, path.Join(i.dirs[0].name, file), err)
	}
	return nil
}
