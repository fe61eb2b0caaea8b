// Package pidfd names processes by descriptor, so that a signal cannot reach a
// process that took over a number, and a death can be waited for without being
// the parent.
//
// A descriptor becomes readable when the process has ended. For process 1 of a
// pid namespace that means: every process of the namespace is dead and reaped,
// because the kernel ends them and waits for them first.
//
// Minimum kernel: 5.4 for waiting, 5.1 for signals.
package pidfd
