package seccomp

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// numberOf returns the number of a call on this machine.
func numberOf(t testing.TB, name string) uint32 {
	t.Helper()
	for _, e := range table {
		if n := hostArch.number(e); e.name == name && n != absent {
			return uint32(n)
		}
	}
	t.Fatalf("no call %q on %s", name, hostArch)
	return 0
}

func probeOf(t testing.TB, name string, args ...uint64) probe {
	p := probe{Label: fmt.Sprint(name, args), Number: numberOf(t, name)}
	copy(p.Args[:], args)
	return p
}

// TestKernelRefusesWhatTheListsRefuse makes the calls, with arguments that do
// no harm if they come through. Without the filter each answers something
// else, so the answers are the filter's.
func TestKernelRefusesWhatTheListsRefuse(t *testing.T) {
	probes := []probe{
		probeOf(t, "io_uring_setup", 0), probeOf(t, "bpf", bad), probeOf(t, "keyctl", bad),
		probeOf(t, "add_key"), probeOf(t, "request_key"), probeOf(t, "ptrace", bad), probeOf(t, "unshare", unix.CLONE_NEWUSER),
		probeOf(t, "setns", bad), probeOf(t, "mount"), probeOf(t, "umount2"), probeOf(t, "pivot_root"), probeOf(t, "chroot"),
		probeOf(t, "fsopen"), probeOf(t, "userfaultfd", bad), probeOf(t, "perf_event_open"),
		probeOf(t, "process_vm_readv", 1), probeOf(t, "process_vm_writev", 1), probeOf(t, "pidfd_getfd", bad),
		probeOf(t, "kcmp"), probeOf(t, "open_by_handle_at", bad), probeOf(t, "splice", bad), probeOf(t, "vmsplice", bad),
		probeOf(t, "shmget", 0, 0), probeOf(t, "mq_open"), probeOf(t, "memfd_secret", bad), probeOf(t, "mlockall", 0),
		probeOf(t, "bind", bad), probeOf(t, "setuid", bad), probeOf(t, "clock_settime", bad), probeOf(t, "syslog", bad),
		probeOf(t, "clone", unix.CLONE_NEWUSER|unix.CLONE_THREAD), probeOf(t, "clone", unix.CLONE_PARENT|unix.CLONE_THREAD), probeOf(t, "personality", 0x40000),
		probeOf(t, "fcntl", 1, unix.F_SETLEASE, bad), probeOf(t, "fcntl", bad, unix.F_SETOWN),
		probeOf(t, "madvise", 0, 4096, unix.MADV_MERGEABLE), probeOf(t, "getsockopt", bad, unix.SOL_SOCKET, unix.SO_PEERPIDFD), probeOf(t, "ioctl", bad, unix.TIOCSTI), probeOf(t, "prctl", unix.PR_SET_MM),
		probeOf(t, "mknodat", bad, 0, unix.S_IFCHR), probeOf(t, "sendto", bad, 0, 0, unix.MSG_OOB),
		probeOf(t, "mmap", 0, 4096, 0, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB, bad),
		// Even a listener that leaked in would be of no use inside.
		probeOf(t, "ioctl", bad, unix.SECCOMP_IOCTL_NOTIF_RECV), probeOf(t, "ioctl", bad, unix.SECCOMP_IOCTL_NOTIF_SEND),
		probeOf(t, "seccomp", unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER),
		probeOf(t, "memfd_create", bad, unix.MFD_HUGETLB), probeOf(t, "inotify_init1", bad),
		{Label: "a call that no kernel has", Number: sweepEnd},
	}
	got := inChild(t, "calls", probes)
	var names []string
	for _, p := range probes {
		name, errno := Refusal(hostArch, p.Number, p.Args)
		names = append(names, name)
		if have := got.Answers[p.Label]; have != unix.ErrnoName(errno) {
			t.Errorf("%s: answered %s, want %s", p.Label, have, unix.ErrnoName(errno))
		}
	}
	slices.Sort(names)
	counted := map[string]int64{}
	for _, c := range got.Counts {
		counted[c.Call] = c.N
	}
	if have := slices.Sorted(maps.Keys(counted)); !slices.Equal(have, names) {
		t.Errorf("counted %v\nwant    %v", have, names)
	}
	for name, n := range counted {
		if n != 1 {
			t.Errorf("%s was counted %d times", name, n)
		}
	}
}

// TestKernelAllowsTheSiblings is the other side: what looks like the refused
// calls and is needed. Nothing of it is counted.
func TestKernelAllowsTheSiblings(t *testing.T) {
	probes := []probe{
		probeOf(t, "getpid"), probeOf(t, "fcntl", 1, unix.F_GETFD), probeOf(t, "prctl", unix.PR_GET_DUMPABLE),
		probeOf(t, "personality", 0xffffffff), probeOf(t, "epoll_create1", 0), probeOf(t, "eventfd2", 0, 0),
		probeOf(t, "socket", unix.AF_UNIX, unix.SOCK_STREAM, 0), probeOf(t, "sched_yield"), probeOf(t, "umask", 0o22),
		probeOf(t, "mmap", 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, ^uint64(0)),
	}
	// Allowed, and answered by the kernel itself about bad arguments.
	faults := map[string]string{}
	for _, p := range []probe{
		probeOf(t, "socketpair", unix.AF_UNIX, unix.SOCK_STREAM, 0, 1), probeOf(t, "memfd_create", 1, 0),
		probeOf(t, "execve"), probeOf(t, "seccomp", unix.SECCOMP_SET_MODE_FILTER, 0), probeOf(t, "openat", 0, 1),
	} {
		probes = append(probes, p)
		faults[p.Label] = "EFAULT"
	}
	got := inChild(t, "calls", probes)
	for _, p := range probes {
		want := "ok"
		if w, ok := faults[p.Label]; ok {
			want = w
		}
		if have := got.Answers[p.Label]; have != want {
			t.Errorf("%s: answered %s, want %s", p.Label, have, want)
		}
	}
	if len(got.Counts) > 0 {
		t.Errorf("allowed calls were counted: %v", got.Counts)
	}
}

// TestN42_OnlyUnixSocketsExist sweeps every family and type.
func TestN42_OnlyUnixSocketsExist(t *testing.T) {
	var probes []probe
	for family := range uint64(unix.AF_MAX + 6) {
		for kind := range uint64(16) {
			probes = append(probes, probeOf(t, "socket", family, kind, 0))
			probes = append(probes, probeOf(t, "socket", family|1<<32, kind, 0))
			if family != unix.AF_UNIX { // a pair of which is made above
				probes = append(probes, probeOf(t, "socketpair", family, kind, 0, 0))
			}
		}
	}
	got := inChild(t, "calls", probes)
	opened := 0
	for _, p := range probes {
		have := got.Answers[p.Label]
		switch {
		case uint32(p.Args[0]) != unix.AF_UNIX:
			if have != "EAFNOSUPPORT" {
				t.Errorf("%s: answered %s", p.Label, have)
			}
		case have == "ok":
			opened++
		case have != "ESOCKTNOSUPPORT" && have != "EINVAL": // from 11 on
			t.Errorf("%s: answered %s", p.Label, have)
		}
	}
	if opened != 8 { // stream, datagram, raw (a datagram), sequenced packets; each twice
		t.Errorf("%d unix sockets opened, want 8", opened)
	}
}
