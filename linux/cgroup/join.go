package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// JoinFiles opens the files through which a freshly forked, single-threaded
// child enters the group: it writes "0\n" to each and closes it. v1 has one per
// tree, v2 one in all. The caller closes them. They are close-on-exec.
func (g *Group) JoinFiles() ([]*os.File, error) {
	name := "tasks"
	if g.inst.h.Version == V2 {
		name = "cgroup.procs"
	}
	var files []*os.File
	for _, d := range g.inst.dirs {
		fd, err := d.open(path.Join(g.name, name), unix.O_WRONLY)
		if err != nil {
			for _, f := range files {
				err = errors.Join(err, f.Close())
			}
			return nil, err
		}
		files = append(files, os.NewFile(uintptr(fd), path.Join(d.name, g.name, name)))
	}
	return files, nil
}

// FD returns the group's directory for CLONE_INTO_CGROUP
// (syscall.SysProcAttr.UseCgroupFD), Linux 5.7, v2 only. It belongs to the group
// and is valid until Remove. On v1 the error matches errors.ErrUnsupported.
func (g *Group) FD() (int, error) {
	if g.inst.h.Version != V2 {
		return -1, fmt.Errorf("open group %s for clone: %w on version 1", g.name, errors.ErrUnsupported)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leaf < 0 {
		fd, err := g.inst.dirs[0].open(g.name, unix.O_RDONLY|unix.O_DIRECTORY)
		if err != nil {
			return -1, err
		}
		g.leaf = fd
	}
	return g.leaf, nil
}

// JoinThread moves the calling thread into the group, so that a child which it
// clones is born inside. v1 only: on v2 the error matches errors.ErrUnsupported,
// use FD. The goroutine must be locked to its thread (runtime.LockOSThread) and
// end without unlocking: the group cannot be removed before the thread is gone.
// After an error the thread may be half inside and must end as well.
//
// Memory that the thread itself touches stays charged where the process is: v1
// charges by the owner of the address space.
func (g *Group) JoinThread() error {
	if g.inst.h.Version == V2 {
		return fmt.Errorf("move thread into group %s: %w on version 2", g.name, errors.ErrUnsupported)
	}
	for _, d := range g.inst.dirs {
		if err := d.write(path.Join(g.name, "tasks"), "0"); err != nil {
			return err
		}
	}
	return nil
}
