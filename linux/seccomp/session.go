package seccomp

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A judgedCall is one of those with which a cell could reach its session's
// checkpoints. The filter of a session leaves them to a [Judge].
type judgedCall struct {
	call string
	// own: with 0 as first argument it means its caller and nobody else, and the
	// filter lets it through by itself.
	own bool
}

// judged lists them, beside clone(2) with flags that no other filter allows. All
// that decides about them is in registers: what the judge has seen is what the
// kernel will do.
var judged = []judgedCall{
	{call: "kill"},
	{call: "tgkill"},
	{call: "rt_sigqueueinfo"},
	{call: "rt_tgsigqueueinfo"},
	{call: "setpriority"},
	{call: "prlimit64", own: true},
	{call: "sched_setaffinity", own: true},
}

// isJudged reports whether a session's filter asks about a call.
func isJudged(name string) bool {
	return name == "clone" || slices.ContainsFunc(judged, func(j judgedCall) bool { return j.call == name })
}

// compile turns a judged call into code.
func (j judgedCall) compile() block {
	if !j.own {
		return returns(Notify)
	}
	return slices.Concat(
		block{bpf.LoadAbsolute{Off: offArgs, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}},
		returns(Notify), returns(Allow),
	)
}

// Call is what a judge is told of a call that waits.
type Call struct {
	PID  int // the thread that made it, in the supervisor's own numbers
	Name string
	Args [6]uint64
}

// Answer is what a judge says. The zero value answers ENOSYS.
type Answer struct {
	Continue bool       // the kernel goes on with the call as its caller made it
	Hold     bool       // not now: the caller waits until Listener.Release
	Errno    unix.Errno // otherwise
}

// Judge decides about the calls of one session. It is asked by one goroutine at
// a time, which no other sandbox waits for.
type Judge interface {
	Judge(Call) Answer
}

// suspicious reports whether a refusal is worth counting. That nobody has a
// number is what a kernel says of the dead as well.
func suspicious(e unix.Errno) bool { return e != unix.ESRCH && e != unix.EINVAL }
