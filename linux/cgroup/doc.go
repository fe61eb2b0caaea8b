// Package cgroup limits, measures and ends groups of processes through Linux
// control groups, version 1 and version 2, without any daemon.
//
// # Layout
//
// Each controller (a running Cellwall) owns one instance. In every tree that is
// used stands
//
//	<base>/cellwall/<instance>/<sandbox>
//
// where <base> is the place in which this process may create groups, see
// [Detect]. Version 1 has a tree per controller (memory, pids, cpu, and cpuacct
// for the clock); version 2 has one for all.
//
// An Instance holds a lock on its own directory in every tree, its lease, for as
// long as it lives. The kernel gives it back when the process ends, however that
// happens. [Sweep] removes instances that nobody holds and never touches one
// that somebody does. Only the owner may open the directory: a lock is for
// everybody who can.
//
// Under a service manager that owns the v2 tree, root's choice of the tree's root
// works but steps outside the service's own limits: let the unit have
// Delegate=yes and set CELLWALL_CGROUP=self.
//
// A delegated v2 base that had processes keeps one group more, cellwall.self,
// into which they were moved; a later controller that starts in it finds the
// base above. It goes when whoever delegated the base removes that.
//
// # What is enforced
//
//   - memory: all processes, page cache and tmpfs pages included, without swap.
//     v1 memory.limit_in_bytes = memory.memsw.limit_in_bytes (without the second
//     file, memory.swappiness = 0: see [Instance.Notes]); v2 memory.max,
//     memory.swap.max = 0, and memory.oom.group = 1 so that a group dies whole,
//     but for [Limits].OneByOne.
//     v1 cannot do the latter: kill the group when [Events].OOMKills rises.
//   - processes and threads: pids.max.
//   - cores: v1 cpu.cfs_quota_us, v2 cpu.max, over periods of 100 ms.
//
// How groups share the processors when there are too few is [Group.SetWeight]: v1
// cpu.shares, v2 cpu.weight. It is no limit.
//
// A limit whose controller cannot be had is an error that matches
// [ErrUnavailable], never a silent omission. The caller degrades by leaving the
// field of [Limits] zero.
//
// # Freezing
//
// [Group.Freeze] uses cgroup.freeze of version 2 (Linux 5.2). Where version 1
// limits, the processes are moved into an instance of the same name in the
// unified tree for that, and stay there. What is frozen there dies of a signal as
// ever, so that a controller that dies leaves nobody behind who cannot.
//
// # Joining
//
// On v1 write "0\n" to the tasks file of each tree ([Group.JoinFiles]): the
// writing thread moves. cgroup.procs would move the whole process, but waits for
// a grace period of 7 to 10 ms; tasks takes 0.2. A freshly forked child has one
// thread, so both mean the same to it. On v2 clone straight into the group
// ([Group.FD] is the descriptor for CLONE_INTO_CGROUP), or write to cgroup.procs.
// An unprivileged process may move another one on v2 only within a subtree that
// it was given: it has to live inside <base> itself. One that is not even the
// owner of the groups clones into them after [Instance.Admit]; waiting for a
// grace period, as a write to cgroup.procs does, would hold up every fork and
// exit of the machine meanwhile.
//
// # Evidence
//
// [Group.Events] is the kernel's word on why something died. Counters are to be
// compared with zero and never with one: version 2 counts one killed process
// more than once when memory.oom.group fires.
//
// # Processor weight
//
// A process that enters a v1 cpu group leaves its session's autogroup. Without
// more, all sandboxes together would then weigh as much as one login session,
// and on a busy machine throughput falls to a fifth. A group's weight is spread
// over the processors it runs on, so the groups cellwall and <instance> get the
// default weight times the number of processors: one busy sandbox of the same weight
// on each processor weighs there what an ordinary process does.
//
// # Why not a library
//
// The known libraries manage a container's life: they go through systemd or
// cgroup.procs, write every knob of the OCI specification by path, and parse
// whole stat files. The budget here is 0.3 ms for creating, limiting and
// removing a group. This package needs 20 system calls for that on v1, relative
// to directories which the instance holds open: 0.20 ms on two busy cores, where
// events and usage take 9 µs together (BenchmarkGroup, BenchmarkEvidence).
//
// Concurrency: an Instance may be used by many goroutines, and so may a Group,
// except that Remove must be the last call.
package cgroup
