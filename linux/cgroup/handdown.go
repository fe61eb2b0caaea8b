package cgroup

import (
	"errors"
	"fmt"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// handDown enables controllers for the groups below d (v2). A group that has
// processes and is not the root must be emptied first (EBUSY): they go to
// selfLeaf, whose own subtree stays without controllers.
func handDown(d dir, controllers []string) error {
	enabled, err := d.read("cgroup.subtree_control")
	if err != nil {
		return err
	}
	value := ""
	for _, c := range controllers {
		if !has(enabled, c) {
			value += " +" + c
		}
	}
	if value == "" {
		return nil
	}
	err = d.write("cgroup.subtree_control", value[1:])
	for range 10 { // somebody may fork while we move
		if !errors.Is(err, unix.EBUSY) {
			return err
		}
		if err := vacate(d); err != nil {
			return err
		}
		err = d.write("cgroup.subtree_control", value[1:])
	}
	return err
}

// vacate moves every process of d itself into its child selfLeaf.
func vacate(d dir) error {
	if err := d.mkdir(selfLeaf); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	text, err := d.read("cgroup.procs")
	if err != nil {
		return err
	}
	pids, err := parsePIDs(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", path.Join(d.name, "cgroup.procs"), err)
	}
	for _, pid := range pids {
		err := d.write(selfLeaf+"/cgroup.procs", strconv.Itoa(pid))
		if err != nil && !errors.Is(err, unix.ESRCH) { // it ended meanwhile
			return fmt.Errorf("move process %d: %w", pid, err)
		}
	}
	return nil
}
