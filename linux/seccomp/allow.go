package seccomp

// Profile chooses a filter. The zero value is that of an interpreter without a
// terminal.
type Profile struct {
	// Shell adds what job control on a terminal needs: the requests of
	// ioctl(2) that set up a pseudo terminal.
	Shell bool
	// Session leaves to a judge the calls with which a cell could reach what the
	// session goes back to, and the one that makes it: see Supervisor.AddJudged.
	Session bool
}

// allowed lists the calls that are let through whatever their arguments. A
// name that an architecture lacks is skipped there; a name that no
// architecture has fails a test.
//
// It follows what the interpreter, the data stack and the standard library
// were seen to call, plus the newer spellings that a later libc would use for
// the same. What is not here was left out on purpose or is unknown: both are
// refused.
var allowed = []string{
	// Bytes.
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2",
	"lseek", "sendfile", "copy_file_range",
	// Descriptors.
	"open", "openat", "openat2", "creat", "close", "close_range", "dup", "dup2", "dup3", "pipe", "pipe2",
	"flock", "fsync", "fdatasync", "ftruncate", "truncate", "fallocate", "fadvise64",
	// Files and directories. Owners can only be set to the own one.
	"stat", "lstat", "fstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getcwd", "chdir", "fchdir", "getdents64", "mkdir", "mkdirat", "rmdir",
	"unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "umask", "utimensat",
	// Memory; mmap, madvise and memfd_create are in conditions.go.
	"munmap", "mprotect", "mremap", "msync", "brk", "membarrier",
	// Processes and threads; clone is in conditions.go.
	"fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "pidfd_open",
	"set_tid_address", "set_robust_list", "rseq", "futex", "futex_waitv",
	"getpid", "getppid", "gettid", "getpgid", "getpgrp", "getsid", "setpgid", "setsid",
	"getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "capget",
	// Scheduling. The processor group and RLIMIT_NICE bound what these can do.
	"sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler",
	"sched_get_priority_max", "sched_get_priority_min", "getcpu", "getpriority", "setpriority",
	"getrlimit", "setrlimit", "prlimit64", "getrusage", "times", "sysinfo", "uname", "getrandom",
	// Signals, within the own process namespace.
	"kill", "tgkill", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
	"rt_sigtimedwait", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "restart_syscall", "pause", "signalfd4",
	// Clocks and timers, read only.
	"time", "gettimeofday", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "alarm",
	"getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete",
	"timerfd_create", "timerfd_settime", "timerfd_gettime",
	// Waiting.
	"poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
	"epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2",
	// Socket pairs; socket, socketpair and the rest are in conditions.go.
	// Without bind and connect an address leads nowhere.
	"getsockname", "getpeername", "shutdown",
}
