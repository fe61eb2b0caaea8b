// Package seccomp is the system call filter of a sandbox and the supervisor
// that counts, by name, what the filter refused.
//
// # The filter
//
// [Compile] turns a [Profile] into a [Program], an array of struct sock_filter
// that the driver installs in itself before it reads any code of a user. What
// is allowed is data: the list in allow.go, the conditions on arguments in
// conditions.go. Every other call is refused in one of three ways:
//
//   - Foreign call numbers (i386 through int 0x80, x32) answer ENOSYS, by the
//     filter alone.
//   - Calls that libraries probe on the way and do without (quiet.go: clone3,
//     mbind, extended attributes and so on) answer what a kernel without the
//     feature answers, by the filter alone: they are no sign of anything.
//   - Everything else goes to the supervisor, which counts it and answers
//     EPERM for the calls known to be dangerous (refuse.go), EAFNOSUPPORT for a
//     socket family, an error of its own for each condition on arguments, and
//     ENOSYS for calls that nobody has listed, those of future kernels included.
//
// No call is killed, and no call that is refused here is ever let through: what
// a pointer points at can change between the look and the call, so the supervisor
// decides nothing that way and reads no memory. When it is gone the kernel answers
// ENOSYS in its place.
//
// # The filter of a session
//
// With [Profile].Session some calls that take the number of a process (session.go)
// and clone with CLONE_PARENT are left to a [Judge], see [Supervisor.AddJudged].
// It may let them through: all that decides is in registers, which nobody can
// change while the caller waits. It may also hold them until [Listener.Release].
// Each judge has a goroutine of its own, and the time that it takes is taken from
// the allowance of its session. Under [Supervisor.Add] they are refused.
//
// Two calls of x86-64 are beyond any filter: newer kernels take uretprobe (6.14)
// and uprobe (6.18) past it, because they put those calls into a traced program
// themselves. Made by anybody else the one ends its caller with SIGILL and the
// other answers ENXIO; neither reaches anything, and neither is counted.
//
// Conditions compare the low 32 bits of an argument: the kernel takes each of
// those arguments as an int, cuts it to 32 bits itself, or knows no flag above.
//
// The program is a balanced tree of comparisons, of about a dozen steps for a
// call whose arguments do not matter. Such a call, when it is allowed, does not
// even run it: the kernel (5.11 and later) tries every number when the filter
// is installed, and keeps a bitmap. That works because nothing but the
// architecture and the number is loaded before the verdict.
//
// # Installing it
//
// The driver sets no_new_privs, calls seccomp(SECCOMP_SET_MODE_FILTER, flags,
// &fprog) with the flags of [InstallFlags], and sends the descriptor that the
// call returns to the controller by SCM_RIGHTS, over a socket pair that exists
// already; then it closes its own copy. (A copy that stayed would be of no use:
// the filter refuses the requests of a listener, and a second listener.) Until
// [Supervisor.Add] has taken the descriptor a refused call waits. [Load] does
// the same from Go for one thread.
//
// # The supervisor
//
// One goroutine serves all listeners through one epoll. Per turn each ready
// listener gets one answer, so a sandbox that floods cannot keep another
// waiting; and a listener that has used up its allowance ([Burst] at once,
// [Rate] a second after that) is left alone until some has come back, so that
// a flood costs the host a bounded share of a processor. Its callers wait
// meanwhile, and can be killed while they do.
//
// A [Listener] ends by itself when the last task under its filter is gone.
// Its counts stay readable. An answered call is counted before its caller goes
// on, so when a sandbox's processes are dead its counts are final.
//
// # Locks
//
// Supervisor.mu guards the set of listeners; Listener.mu guards one listener's
// descriptor and counts; court.mu guards the calls that wait for one judge.
// Supervisor.mu is never taken while Listener.mu is held; court.mu may be, and
// is held for no other and while no judge is asked.
package seccomp
