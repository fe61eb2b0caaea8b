// Package probe finds out what this host can enforce by trying it.
//
// Every [Fact] is the outcome of an attempt: a namespace is made, a filter is
// installed, a group is created. What has effects on the process that tries is
// tried in a child: the calling program runs itself with a hidden verb
// ([Options].Self) and hands the arguments behind it to [Child].
//
// A fact names the kernel that first had the mechanism. A kernel that is new
// enough and yet says no has a reason, which Detail gives and Hint answers: a
// sysctl, a missing capability, a container's filter.
//
// Conclusive answers are kept by a [Prober]; an attempt that failed for reasons
// of the moment (no memory, no process, a deadline) is made again next time.
package probe
