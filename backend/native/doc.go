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
// are scarce, and so does a sandbox while it is opened ahead of need; one whose
// tenant has nothing else here weighs more than those of a tenant that has many, see
// veterans.go. It is a courtesy between sandboxes and no limit.
//
// A zygote serves as soon as its imports are done, and takes what makes its
// children faster in steps while nobody asks. Spec.Ahead waits for the last of
// them.
//
// # Templates
//
// A dataset that many sandboxes have is parsed once, by Prepare: behind a wall
// of its own, which is thrown away, and from which only a file of plain columns
// comes out. A stem of its own then has a zygote build the frames from that, in
// buffers that its children share; neither a parser nor anybody's code ever ran
// in it, and it checks every place, length and number before it builds. That
// file is all that a hostile dataset can speak to it by. What it builds has to fit
// the memory limit that the dataset was prepared within, while it is built too.
//
// The warden of a template holds its input files once. Every sandbox mounts a
// view of its own on them (overlayfs), so that /workspace/input is as full as
// ever and no inode is shared: no lock and no watch on one is seen by another.
// Where the kernel has no such view for an ordinary user they are copied.
//
// A template is kept until it is forgotten; at most [maxTemplates] are. When its
// zygote dies, or has forked as often as one may, Open says that there is no such
// template. Which datasets are prepared, and for how long, is decided elsewhere
// (package prepared).
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
// # Sessions
//
// With Spec.Session the interpreter serves cells, one after the other, and a
// sandbox has more processes:
//
//	warden
//	 ├ agent              process 1 of the sandbox's pid namespace, as ever
//	 ├ interpreter        forked by the zygote, or by a snapshot
//	 └ snapshot …         forked by the interpreter behind an answer; waits
//
// All of them are children of the warden (CLONE_PARENT), so that a cell's wait
// never meets a snapshot, and the tree does not deepen however long a session
// lives. The session and its wall end with the agent, not with an interpreter.
//
// After every cell whose state lives on the controller has the interpreter fork
// a snapshot, which is moved to a control group of its own, its cage: a sister of
// the cells' group, so that the memory limit of a cell has only its own processes
// as victims, and of the other cages, so that a cell that has spoilt the snapshot
// after it has spoilt nothing else. All cages together have a quarter of the
// session's memory, each at least [leastCage]; what a snapshot shares
// with the interpreter stays charged to the cells' group, where it was touched
// first. A snapshot that was forked while another thread held a lock of the C
// library may sleep for ever before it speaks: it is killed, and another forked.
// When that is in vain twice the next cell is told, checkpoint_failed.
//
// Who speaks first on a channel is told by the kernel (SCM_CREDENTIALS), and is
// believed when it is a child of the warden and stands in the group that it was
// born in: see meet. Payloads never name a process, and only pidfds are
// signalled.
//
// The checkpoints form a tree (tree.go). When there are more than
// Limits.Checkpoints, or they alone hold more than a quarter of the session's
// memory, the oldest that others have grown from are dropped, then the oldest; those
// right above the live state last, and the one that it grows from never. What a snapshot holds alone is what
// cells have changed since: each page is copied when it is first touched. Where
// that would cost a loop of cells more than a third of its time again, the next
// checkpoint is put off (skip.go) and the next cell told how many would be lost,
// checkpoint_skipped. A state that fills three quarters of the limit is not
// snapshotted at all, checkpoint_too_large; the last checkpoint stays.
//
// A cell that overruns its time, loses a process for want of memory, meets the
// limit of processes and fails, writes too much, breaks the protocol, ignores an
// interrupt, or leaves, is ended with every process of its group. The evidence is
// the difference of the kernel's counters since it began. Then the newest
// snapshot forks the next interpreter and stays what it is: recovery is one fork,
// and a checkpoint serves any number of times. Any other cell leaves its state,
// its threads and its children to the next; of what those write between two
// cells the next one hears.
//
// What runs beside the cells is nobody's usage but the session's: Between tells its
// processor time, from the same counters. The group of the cells counts on through
// every death and rollback, and what it shows at a cell's beginning and end is read
// for that cell; what has run since the first cell and is in none of them is the rest.
// Cages add theirs, and are read once more before they are removed. So checkpoints,
// rollbacks and exports are in it: about 5 ms for a checkpoint.
//
// A question may be given up in the middle of a frame, written or read: the rest goes
// first when the channel is used again.
//
// Interrupt is SIGINT to the interpreter by pidfd; so is the end of a caller's
// context. One that is there before its cell waits until that has been sent. What
// the kernel does not count anew for a cell counts for the session: the peak of
// processes, and before Linux 6.12 with version 2 that of memory.
//
// Without groups for memory and processes a session takes no checkpoints and
// says so (checkpoint_unavailable): a cell that dies ends it.
//
// # Files of a session
//
// A session's workspace lies beside a hidden directory on one file system in
// memory, of which the session sees the workspace alone. With each snapshot its
// files are taken there (package keep), within Limits.CheckpointBytes; when a
// state goes back, so do they, in place, so that the descriptors and mappings of
// the interpreter that comes from the snapshot are right. Oldest first,
// checkpoints lose their files when the budget is spent; a file that never fits
// is named in Restored.Lost if it was touched since. The cell behind is told when files
// were left out (files_left_out) or none was kept (files_not_kept). /tmp and /dev/shm are not
// part of a checkpoint. The file system has room for the workspace and the
// budget: that the workspace alone is over its limit is seen when a cell has
// ended, and what a cell deletes makes room for what it writes only as far as
// that goes. What the hidden directory holds is charged to the controller that wrote
// it, or, of files that were deleted, to the session.
//
// # A state for another sandbox
//
// Export has the newest snapshot fork one more interpreter, in a cage with the
// session's own limits, which pickles what it has into a pipe and ends: what code of
// cells does while it is pickled, and what that takes, the live state never sees.
// Begin reads such a state behind the wall of a fresh sandbox. In between bytes are
// passed on, at most as many as memory and workspace together may hold.
//
// # Pausing a session
//
// Pause freezes cells and snapshots with cgroup.freeze of version 2, also where
// version 1 limits: nobody notices, and everybody can still be killed. What they
// have in memory stays charged.
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
