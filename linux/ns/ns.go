package ns

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kinds of namespaces, to be combined.
const (
	User   = unix.CLONE_NEWUSER
	Mount  = unix.CLONE_NEWNS
	PID    = unix.CLONE_NEWPID
	Net    = unix.CLONE_NEWNET
	IPC    = unix.CLONE_NEWIPC
	UTS    = unix.CLONE_NEWUTS
	Cgroup = unix.CLONE_NEWCGROUP
)

// Unshare gives the calling thread namespaces of its own. Call it on a thread
// that nothing else uses.
func Unshare(kinds int) error {
	if err := unix.Unshare(kinds); err != nil {
		return fmt.Errorf("make namespaces %#x: %w", kinds, err)
	}
	return nil
}

// Enter moves the calling thread into a namespace. Call it on a thread that
// nothing else uses.
func Enter(namespace *os.File, kind int) error {
	if err := unix.Setns(int(namespace.Fd()), kind); err != nil {
		return fmt.Errorf("enter namespace %#x: %w", kind, err)
	}
	return nil
}

// SetHostname names this thread's UTS namespace.
func SetHostname(name string) error {
	if err := unix.Sethostname([]byte(name)); err != nil {
		return fmt.Errorf("set host name: %w", err)
	}
	return nil
}

// IDMap maps ids inside a user namespace to ids outside.
type IDMap struct{ Inside, Outside, Size int }

// Process is what Start runs.
type Process struct {
	Path  string
	Args  []string
	Env   []string
	Dir   string
	Files []*os.File // descriptors 0, 1, 2, …
	Kinds int        // namespaces to make
	UID   *IDMap     // with User
	GID   *IDMap
	Run   *syscall.Credential // ids inside, nil = keep
	Group int                 // descriptor of a version 2 control group to be born in, 0 = that of the caller
	Alone bool                // a session of its own: no terminal's signals
	// Leashed has the kernel kill the process when the thread that started it
	// ends, even while it is stopped. Start it on a thread that lives as long.
	Leashed bool
}

// Start forks and execs p from the calling thread, so that the child is in
// this thread's namespaces and the new ones. It returns the child's number and
// a pidfd. The caller reaps it.
func Start(p Process) (pid, pidfd int, err error) {
	pidfd = -1
	attr := &syscall.SysProcAttr{Cloneflags: uintptr(p.Kinds), PidFD: &pidfd, Credential: p.Run, Setsid: p.Alone}
	if p.Group > 0 {
		attr.UseCgroupFD, attr.CgroupFD = true, p.Group
	}
	if p.Leashed {
		attr.Pdeathsig = syscall.SIGKILL
	}
	if p.UID != nil {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: p.UID.Inside, HostID: p.UID.Outside, Size: p.UID.Size}}
	}
	if p.GID != nil {
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: p.GID.Inside, HostID: p.GID.Outside, Size: p.GID.Size}}
		// Only root may map more than its own group, and only root may keep the
		// right to drop groups: without it the kernel wants setgroups denied.
		attr.GidMappingsEnableSetgroups = p.GID.Size > 1
	}
	files := make([]uintptr, len(p.Files))
	for i, f := range p.Files {
		files[i] = f.Fd()
	}
	pid, err = syscall.ForkExec(p.Path, p.Args, &syscall.ProcAttr{Dir: p.Dir, Env: p.Env, Files: files, Sys: attr})
	runtime.KeepAlive(p.Files)
	if err != nil {
		return 0, -1, fmt.Errorf("start %s: %w", p.Path, err)
	}
	if pidfd < 0 { // a kernel that does not know CLONE_PIDFD ignores it
		if pidfd, err = unix.PidfdOpen(pid, 0); err != nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // our child, and nobody has reaped it
			return pid, -1, fmt.Errorf("open pidfd of %s: %w", p.Path, err)
		}
	}
	return pid, pidfd, nil
}

// Exit is how a child ended.
type Exit struct {
	PID    int
	Code   int            // when Signal is 0
	Signal syscall.Signal // 0 = exited
}

// Reap waits for any child of this process.
func Reap() (Exit, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Exit{}, fmt.Errorf("wait for children: %w", err)
		}
		if status.Signaled() {
			return Exit{PID: pid, Signal: status.Signal()}, nil
		}
		return Exit{PID: pid, Code: status.ExitStatus()}, nil
	}
}

// Root is the identity of a new user namespace's root. dropGroups also leaves
// the supplementary groups of outside, which needs the right to set them.
func Root(dropGroups bool) *syscall.Credential {
	return &syscall.Credential{NoSetGroups: !dropGroups}
}
