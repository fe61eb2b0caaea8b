package seccomp

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// A condition lets a call through when one argument, cut to 32 bits and
// masked, is one of values. A call with a condition is refused otherwise, with
// errno; quiet leaves that to the filter, uncounted.
type condition struct {
	call   string
	arg    int
	mask   uint32
	values []uint32
	shell  []uint32 // allowed as well with Profile.Shell
	errno  unix.Errno
	quiet  bool
	// names tells what a refused value was; nil prints the number.
	names map[uint32]string
}

const (
	exactly = ^uint32(0)
	fileFmt = unix.S_IFMT
	// The flags of clone(2) that make namespaces. CLONE_NEWTIME is not among
	// them: in clone its bit belongs to the exit signal.
	newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	// With CLONE_PARENT a child is its creator's sister: the interpreter's
	// parent stands outside the sandbox and would have to bury it.
	cloneRefused = newNamespaces | unix.CLONE_PARENT
)

// conditions lists the calls that depend on an argument.
var conditions = []condition{
	{call: "clone", arg: 0, mask: cloneRefused, values: []uint32{0}, errno: unix.EPERM, names: cloneNames},
	// AF_UNIX is the family of socket pairs, which asyncio and multiprocessing
	// stand on. Families are allowed, never denied, by name: the next bad one
	// is not known yet.
	{call: "socket", arg: 0, mask: exactly, values: []uint32{unix.AF_UNIX}, errno: unix.EAFNOSUPPORT, names: familyNames},
	{call: "socketpair", arg: 0, mask: exactly, values: []uint32{unix.AF_UNIX}, errno: unix.EAFNOSUPPORT, names: familyNames},
	// Urgent bytes on unix sockets are unused code with a history of bugs.
	{call: "sendto", arg: 3, mask: unix.MSG_OOB, values: []uint32{0}, errno: unix.EOPNOTSUPP, names: oobNames},
	{call: "recvfrom", arg: 3, mask: unix.MSG_OOB, values: []uint32{0}, errno: unix.EOPNOTSUPP, names: oobNames},
	{call: "sendmsg", arg: 2, mask: unix.MSG_OOB, values: []uint32{0}, errno: unix.EOPNOTSUPP, names: oobNames},
	{call: "recvmsg", arg: 2, mask: unix.MSG_OOB, values: []uint32{0}, errno: unix.EOPNOTSUPP, names: oobNames},
	// Only options without code behind them: no socket filters.
	{call: "setsockopt", arg: 2, mask: exactly, errno: unix.ENOPROTOOPT, values: []uint32{
		unix.SO_REUSEADDR, unix.SO_SNDBUF, unix.SO_RCVBUF, unix.SO_KEEPALIVE, unix.SO_LINGER, unix.SO_PASSCRED,
		unix.SO_RCVLOWAT, unix.SO_RCVTIMEO, unix.SO_SNDTIMEO, unix.SO_RCVTIMEO_NEW, unix.SO_SNDTIMEO_NEW,
	}},
	// What a socket may be asked about itself. SO_PEERPIDFD would hand out a
	// descriptor of the process at the other end of the channel: the controller.
	{call: "getsockopt", arg: 2, mask: exactly, errno: unix.ENOPROTOOPT, names: sockoptNames, values: []uint32{
		unix.SO_TYPE, unix.SO_ERROR, unix.SO_DOMAIN, unix.SO_PROTOCOL, unix.SO_ACCEPTCONN, unix.SO_PEERCRED,
		unix.SO_REUSEADDR, unix.SO_SNDBUF, unix.SO_RCVBUF, unix.SO_KEEPALIVE, unix.SO_LINGER, unix.SO_PASSCRED,
		unix.SO_RCVLOWAT, unix.SO_RCVTIMEO, unix.SO_SNDTIMEO, unix.SO_RCVTIMEO_NEW, unix.SO_SNDTIMEO_NEW,
	}},
	// Pages that the kernel merges because they are alike tell a program what
	// another has in its memory.
	{call: "madvise", arg: 2, mask: exactly, errno: unix.EINVAL, names: adviceNames, values: []uint32{
		unix.MADV_NORMAL, unix.MADV_RANDOM, unix.MADV_SEQUENTIAL, unix.MADV_WILLNEED, unix.MADV_DONTNEED, unix.MADV_FREE,
		unix.MADV_REMOVE, unix.MADV_DONTFORK, unix.MADV_DOFORK, unix.MADV_UNMERGEABLE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE,
		unix.MADV_DONTDUMP, unix.MADV_DODUMP, unix.MADV_WIPEONFORK, unix.MADV_KEEPONFORK, unix.MADV_COLD, unix.MADV_PAGEOUT,
		unix.MADV_POPULATE_READ, unix.MADV_POPULATE_WRITE, unix.MADV_DONTNEED_LOCKED, unix.MADV_COLLAPSE,
		madvGuardInstall, madvGuardRemove,
	}},
	// A memfd is charged to the sandbox's memory group like other memory. Pages
	// of the huge page pool are charged to nobody.
	{call: "mmap", arg: 3, mask: unix.MAP_HUGETLB, values: []uint32{0}, errno: unix.ENOMEM, names: hugeNames},
	{call: "memfd_create", arg: 1, mask: unix.MFD_HUGETLB, values: []uint32{0}, errno: unix.ENOMEM, names: hugeNames},
	// A FIFO is a file like another; devices are not made here.
	{call: "mknod", arg: 1, mask: fileFmt, values: []uint32{unix.S_IFIFO}, errno: unix.EPERM, names: fileNames},
	{call: "mknodat", arg: 2, mask: fileFmt, values: []uint32{unix.S_IFIFO}, errno: unix.EPERM, names: fileNames},
	// Locks, seals and pipe sizes. Leases, F_NOTIFY and the owner of signals
	// reach processes outside on a shared inode or a recycled number.
	{call: "fcntl", arg: 1, mask: exactly, errno: unix.EPERM, names: fcntlNames, values: []uint32{
		unix.F_DUPFD, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_DUPFD_CLOEXEC,
		unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW,
		unix.F_GETPIPE_SZ, unix.F_SETPIPE_SZ, unix.F_ADD_SEALS, unix.F_GET_SEALS,
	}},
	// Every driver hides behind ioctl, so it is a list too. ENOTTY is what a
	// file answers that does not know the request.
	{call: "ioctl", arg: 1, mask: exactly, errno: unix.ENOTTY, names: ioctlNames, values: []uint32{
		unix.TCGETS, unix.TCGETS2, unix.TIOCGWINSZ, fionread, fionbio, fioclex, fionclex,
	}, shell: []uint32{
		unix.TCSETS, unix.TCSETSW, unix.TCSETSF, unix.TCSETS2, unix.TCSETSW2, unix.TCSETSF2, unix.TCFLSH, unix.TCXONC,
		unix.TCSBRK, unix.TCSBRKP, unix.TIOCOUTQ, unix.TIOCSWINSZ, unix.TIOCGPGRP, unix.TIOCSPGRP, unix.TIOCGSID,
		unix.TIOCSCTTY, unix.TIOCNOTTY, unix.TIOCGPTN, unix.TIOCSPTLCK, unix.TIOCGPTLCK, unix.TIOCGPTPEER,
	}},
	// A filter of the program's own can only take away from what is left. Its
	// own listener could give back: the newest filter that asks is the one whose
	// listener answers, and a listener may say "go on". EBUSY is what the kernel
	// says as long as ours is open.
	{call: "seccomp", arg: 1, mask: unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, values: []uint32{0}, errno: unix.EBUSY, names: seccompNames},
	// The options that change nothing but the process itself.
	{call: "prctl", arg: 0, mask: exactly, errno: unix.EINVAL, names: prctlNames, values: []uint32{
		unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG, unix.PR_GET_DUMPABLE, unix.PR_SET_DUMPABLE,
		unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_GET_SECCOMP, unix.PR_SET_SECCOMP, unix.PR_CAPBSET_READ,
		unix.PR_SET_TIMERSLACK, unix.PR_GET_TIMERSLACK, unix.PR_SET_CHILD_SUBREAPER, unix.PR_GET_CHILD_SUBREAPER,
		unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_NO_NEW_PRIVS, unix.PR_SET_THP_DISABLE, unix.PR_GET_THP_DISABLE,
		unix.PR_GET_SPECULATION_CTRL, unix.PR_SET_VMA, unix.PR_GET_AUXV,
	}},
	// Asking which personality is set, and setting the usual one.
	{call: "personality", arg: 0, mask: exactly, values: []uint32{0, ^uint32(0)}, errno: unix.EPERM},
	// Thread areas, and the registers of matrix units. Anything else answers
	// what a processor without it answers; libc asks at every start.
	{call: "arch_prctl", arg: 0, mask: exactly, errno: unix.EINVAL, quiet: true, values: []uint32{
		archSetGS, archSetFS, archGetFS, archGetGS, archXCompSupported, archXCompPermitted, archXCompRequest,
	}},
}

// conditionOf returns the condition on a call.
func conditionOf(call string) (condition, bool) {
	i := slices.IndexFunc(conditions, func(c condition) bool { return c.call == call })
	if i < 0 {
		return condition{}, false
	}
	return conditions[i], true
}

// permitted returns the values that p lets through.
func (c condition) permitted(p Profile) []uint32 {
	if p.Shell {
		return slices.Concat(c.values, c.shell)
	}
	return c.values
}

// describe names the value that decided.
func (c condition) describe(args [6]uint64) string {
	v := uint32(args[c.arg]) & c.mask
	if name, ok := c.names[v]; ok {
		return name
	}
	if c.call == "clone" { // several flags together
		return "CLONE_NEW*"
	}
	if c.names == nil || v > 0xffff {
		return "0x" + strconv.FormatUint(uint64(v), 16)
	}
	return strconv.FormatUint(uint64(v), 10)
}
