package seccomp

import (
	"slices"

	"golang.org/x/sys/unix"
)

// dangerous lists the calls that answer EPERM: known ways out, known sources
// of kernel bugs, and what only an administrator does. Being listed changes
// the answer, not the refusal: a call in no list at all is refused as well,
// with ENOSYS.
var dangerous = []string{
	// Other processes' memory and descriptors.
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
	"pidfd_getfd", "pidfd_send_signal", "kcmp", "move_pages", "migrate_pages",
	// Keys outlive a run and are shared by a uid.
	"add_key", "request_key", "keyctl",
	// Programmable or asynchronous kernel interfaces, which other calls hide behind.
	"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"io_setup", "io_submit", "io_destroy", "io_cancel", "io_getevents", "io_pgetevents",
	// Pages moved by reference reach the page cache of read-only files.
	"splice", "vmsplice", "tee",
	// Namespaces, mounts, roots.
	"unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
	"fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
	// Files by handle, behind every path.
	"name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark", "lookup_dcookie",
	// Memory that no limit or no other process can see.
	"mlock", "mlock2", "mlockall", "munlock", "munlockall", "memfd_secret", "remap_file_pages",
	// System V and POSIX message objects outlive processes.
	"shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop",
	"msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
	// Addresses: a peer that connects later, datagrams in bulk.
	"bind", "listen", "accept", "accept4", "sendmmsg", "recvmmsg",
	// Identity and privilege.
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "capset",
	"sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set",
	// The machine.
	"clock_settime", "clock_adjtime", "adjtimex", "settimeofday", "sethostname", "setdomainname",
	"init_module", "finit_module", "delete_module", "create_module", "query_module", "kexec_load", "kexec_file_load",
	"reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "vhangup", "sync", "syncfs",
	"iopl", "ioperm", "modify_ldt", "nfsservctl", "uselib",
}

// Refusal names a refused call and gives the answer to it. The name is that of
// the call, with the argument that decided in parentheses where one did:
// "bpf", "socket(AF_INET)", "ioctl(0x5412)".
//
// It is meaningful for calls that the filter sent to the supervisor; the
// answer is an error in any case, for an allowed call too.
func Refusal(a Arch, nr uint32, args [6]uint64) (name string, errno unix.Errno) {
	name = Name(a, nr)
	if c, ok := conditionOf(name); ok {
		return name + "(" + c.describe(args) + ")", c.errno
	}
	if slices.Contains(dangerous, name) {
		return name, unix.EPERM
	}
	return name, unix.ENOSYS
}
