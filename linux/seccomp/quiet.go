package seccomp

import "golang.org/x/sys/unix"

// A quietAnswer is a refusal that the filter gives by itself, uncounted.
type quietAnswer struct {
	call  string
	errno unix.Errno
}

// quiet lists calls that well-behaved libraries try and do without. Counting
// them would put a false suspicion beside every ordinary run.
var quiet = []quietAnswer{
	// glibc falls back to clone on ENOSYS only; with EPERM threads fail and
	// numpy cannot be imported. Its flags are behind a pointer, out of reach.
	{"clone3", unix.ENOSYS},
	// Memory policies: OpenBLAS asks for one and goes on without.
	{"mbind", unix.ENOSYS},
	{"set_mempolicy", unix.ENOSYS},
	{"get_mempolicy", unix.ENOSYS},
	// Newer libc tries these first.
	{"mseal", unix.ENOSYS},
	{"map_shadow_stack", unix.ENOSYS},
	{"futex_wait", unix.ENOSYS},
	{"futex_wake", unix.ENOSYS},
	{"futex_requeue", unix.ENOSYS},
	{"rseq_slice_yield", unix.ENOSYS},
	{"pkey_alloc", unix.ENOSYS},
	{"pkey_free", unix.ENOSYS},
	{"pkey_mprotect", unix.ENOSYS},
	{"cachestat", unix.ENOSYS},
	// The name service cache: every look-up of a user asks for it. With
	// AF_UNIX as the only family and no bind there is nobody to reach.
	{"connect", unix.ECONNREFUSED},
	// Copying a file copies its extended attributes, and accepts that the file
	// system has none.
	{"getxattr", unix.EOPNOTSUPP},
	{"lgetxattr", unix.EOPNOTSUPP},
	{"fgetxattr", unix.EOPNOTSUPP},
	{"listxattr", unix.EOPNOTSUPP},
	{"llistxattr", unix.EOPNOTSUPP},
	{"flistxattr", unix.EOPNOTSUPP},
	{"setxattr", unix.EOPNOTSUPP},
	{"lsetxattr", unix.EOPNOTSUPP},
	{"fsetxattr", unix.EOPNOTSUPP},
	{"removexattr", unix.EOPNOTSUPP},
	{"lremovexattr", unix.EOPNOTSUPP},
	{"fremovexattr", unix.EOPNOTSUPP},
	{"getxattrat", unix.EOPNOTSUPP},
	{"listxattrat", unix.EOPNOTSUPP},
	{"setxattrat", unix.EOPNOTSUPP},
	{"removexattrat", unix.EOPNOTSUPP},
}
