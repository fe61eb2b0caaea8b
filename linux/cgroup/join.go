package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"

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
// and is valid until Remove. After Kill or Empty nobody may be cloned into the
// group any more: recent kernels, of 6.1 too, end him at birth, since they compare
// how often the group and that of his parent were killed. On v1 the error matches errors.ErrUnsupported.
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

// Inside calls start on a thread that has joined the group, so that a process
// which start makes is born inside (v1; on v2 the error matches
// errors.ErrUnsupported, use FD). The thread ends afterwards and thereby leaves;
// Kill and Remove wait for that.
func (g *Group) Inside(start func() error) error {
	done := make(chan error, 1)
	go g.inside(start, done)
	return <-done
}

func (g *Group) inside(start func() error, done chan<- error) {
	runtime.LockOSThread() // never unlocked after a join: the thread dies with us
	if onMainThread() {
		// The runtime parks the main thread instead of ending it, which would
		// keep the group populated for ever. Hold it until another one is done.
		defer runtime.UnlockOSThread()
		other := make(chan error, 1)
		go g.inside(start, other)
		done <- <-other
		return
	}
	err := g.JoinThread()
	if err == nil {
		err = start()
	}
	done <- err
}

// JoinThread moves the calling thread into the group; Inside is the safe way to
// use it. v1 only: on v2 the error matches errors.ErrUnsupported. The goroutine
// must be locked to its thread (runtime.LockOSThread) and end without unlocking:
// the group cannot be removed before the thread is gone. It refuses the main
// thread, which Go never ends. After an error the thread may be half inside and
// must end as well.
//
// Memory that the thread itself touches stays charged where the process is: v1
// charges by the owner of the address space.
func (g *Group) JoinThread() error {
	if g.inst.h.Version == V2 {
		return fmt.Errorf("move thread into group %s: %w on version 2", g.name, errors.ErrUnsupported)
	}
	if onMainThread() {
		return fmt.Errorf("move thread into group %s: the main thread could never leave", g.name)
	}
	for _, d := range g.inst.dirs {
		if err := d.write(path.Join(g.name, "tasks"), "0"); err != nil {
			return err
		}
	}
	return nil
}

func onMainThread() bool { return unix.Gettid() == unix.Getpid() }
