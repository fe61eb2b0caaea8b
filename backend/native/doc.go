// Package native is the default backend: namespaces, control groups, a system
// call filter and a warm interpreter that is forked per sandbox, on one Linux
// host, without KVM, without a container engine, as root or not.
//
// # Processes
//
//	controller (host)
//	 └ warden             process 1 of a pid namespace, root of a user
//	    │                 namespace of its own: builds walls, reaps, holds the
//	    │                 input copies. One per environment: a stem.
//	    ├ zygote          the warm interpreter; only ever forks
//	    ├ agent           process 1 of a sandbox's pid namespace: reaps orphans
//	    └ interpreter     the sandbox; forked from the zygote as its sister, so
//	                      the warden is its parent and hears of its death
//
// The controller talks with the warden over an unnamed socket pair, the warden
// with the zygote over another. When the controller dies the kernel kills the
// warden; with process 1 it ends everything below it, and every mount and
// namespace goes too. Control groups stay behind empty and are swept at the next
// start; one that finds those of its own slot kept, by a process that the kernel
// cannot end, takes another slot.
//
// # Opening a sandbox (ahead of need)
//
//  1. controller: makes the control group, socket pair and pipes
//  2. warden, on a thread for nothing else: new mount, ipc and uts
//     namespaces; a network namespace, new or of a sandbox that is dead;
//     /workspace/input, /workspace/output, /tmp and /dev/shm; then the agent in
//     a new pid namespace
//  3. zygote: forks into that pid namespace
//  4. child: closes the zygote's channel first; joins the group; pre-touches;
//     enters the namespaces; mounts its /proc; takes an own uid and an own user
//     namespace; drops all rights; reseeds; installs the filter; says hello
//
// A claim then has the warden copy the inputs, and sends code. A sandbox serves
// one run and is destroyed.
//
// # Many at once
//
// A run that has been served for long weighs less than a new one when processors
// are scarce, see veterans.go. It is a courtesy between sandboxes and no limit.
//
// A zygote serves as soon as its imports are done, and takes what makes its
// children faster in steps while nobody asks. Spec.Ahead waits for the last of
// them.
//
// # The end
//
// The word "done" of the driver is only a reason to look. The agent is killed,
// and with it every process of the namespace. Each of them is under the filter,
// and the filter's listener hears from the kernel when the last task under it
// has begun to exit for good (Linux 6.11; before, when it is reaped): from then
// on no instruction of the sandbox runs, no call of it is under way, and all
// that it wrote is there to be read. Only then are the streams read to what is
// their end, the counters of the group read, and the output directory – a file
// system in memory that the controller holds by descriptor and never had a name
// for – harvested. See verdict.go for how the status follows. Close waits for
// the agent's pidfd, which becomes readable when all of it is reaped, before it
// removes the group.
//
// # Degrading
//
// Without the right to limit memory, processes or cpu, or to give each sandbox
// an own uid, Open fails with CodeProtectionMissing. With Spec.AllowDegraded it
// opens, and Boundary names what is missing. Protections that everything else
// rests on (user, mount, pid and net namespaces, the filter) cannot be waived.
//
// A build with the tag cellwall_weaken can take one protection away (weaken.go):
// it exists so that tests see the hole behind each of them.
package native
