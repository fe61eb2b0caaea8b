package probe

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// attempt is how one fact is found out.
type attempt struct {
	name, mechanism, since string
	try                    func(context.Context, Options) (detail string, err error)
}

// errPassing marks an error that says nothing about the host.
var errPassing = errors.New("could not be tried")

// run makes a Fact of the attempt.
func (a attempt) run(ctx context.Context, opts Options) Fact {
	f := Fact{Name: a.name, Mechanism: a.mechanism, MinKernel: a.since}
	detail, err := a.try(ctx, opts)
	if err == nil {
		f.OK, f.Detail = true, detail
		return f
	}
	f.Detail = err.Error()
	f.passing = passing(err)
	f.Rule, f.Hint = explain(a.name, err)
	return f
}

// passing tells errors of the moment from the host's answers.
func passing(err error) bool {
	for _, moment := range []error{
		errPassing, unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EINTR,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, moment) {
			return true
		}
	}
	return false
}

// attempts is the table of all facts, in the order of the names.
func attempts(h cgroup.Hierarchy) []attempt {
	list := []attempt{
		{Kernel, "uname", "5.10", tryKernel},
		{UserNamespace, "clone(CLONE_NEWUSER), then a privileged call inside", "3.8", inChild(verbPrivileged, unix.CLONE_NEWUSER)},
		{IDRange, "uid_map of more than one id", "3.8", tryIDRange},
		{PIDNamespace, "clone(CLONE_NEWPID) in a user namespace", "3.8", tryNamespace("pid", unix.CLONE_NEWPID)},
		{MountNamespace, "clone(CLONE_NEWNS) in a user namespace", "3.8", tryNamespace("mnt", unix.CLONE_NEWNS)},
		{NetNamespace, "clone(CLONE_NEWNET) in a user namespace", "3.8", tryNamespace("net", unix.CLONE_NEWNET)},
		{IPCNamespace, "clone(CLONE_NEWIPC) in a user namespace", "3.8", tryNamespace("ipc", unix.CLONE_NEWIPC)},
		{UTSNamespace, "clone(CLONE_NEWUTS) in a user namespace", "3.8", tryNamespace("uts", unix.CLONE_NEWUTS)},
		{CgroupNamespace, "clone(CLONE_NEWCGROUP) in a user namespace", "4.6", tryNamespace("cgroup", unix.CLONE_NEWCGROUP)},
		{TimeNamespace, "unshare(CLONE_NEWTIME) in a user namespace", "5.6", inChild(verbTime, unix.CLONE_NEWUSER)},
		{TmpfsMount, "mount tmpfs with limits in a user namespace", "3.8", inChild(verbTmpfs, unix.CLONE_NEWUSER|unix.CLONE_NEWNS)},
		{ProcMount, "mount proc in a user and pid namespace", "3.8", inChild(verbProc, unix.CLONE_NEWUSER|unix.CLONE_NEWNS|unix.CLONE_NEWPID)},
		{SeccompFilter, "install a filter and meet it", "3.17", inChild(verbFilter, 0)},
		{SeccompNotify, "answer a call by user notification", "5.0", inChild(verbNotify, 0)},
	}
	for _, c := range calls {
		list = append(list, attempt{c.name, c.mechanism, c.since, func(context.Context, Options) (string, error) { return c.try() }})
	}
	for _, g := range []struct {
		name, controller string
		limits           cgroup.Limits
	}{
		{CgroupMemory, cgroup.Memory, cgroup.Limits{MemoryBytes: 64 << 20}},
		{CgroupPIDs, cgroup.PIDs, cgroup.Limits{Processes: 16}},
		{CgroupCPU, cgroup.CPU, cgroup.Limits{CPUs: 0.5}},
	} {
		list = append(list, attempt{
			g.name, "cgroup " + h.Version.String() + ": a group with a limit", "4.5",
			func(context.Context, Options) (string, error) { return tryGroup(h, g.controller, g.limits) },
		})
	}
	return list
}
