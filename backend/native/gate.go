package native

import (
	"sync"
	"syscall"
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/seccomp"
)

// A gate judges the calls with which a cell could reach a checkpoint of its
// session. Snapshots have the user, the namespaces and the filter of the cells:
// what keeps them apart is that the numbers in these calls must be those of
// processes in the cells' own group.
//
// A number that nobody in the group has is answered as one that nobody has at
// all, and never goes on: the kernel hands numbers out in a circle, and a call
// that was let go before a snapshot was born could meet it there.
type gate struct {
	// count looks at the cells' group, whole or at who is new; nil where a session
	// takes no checkpoints.
	count counter

	mu     sync.Mutex
	apart  counter           // likewise of the snapshots; nil before there is a group
	window *window           // nil but while a process is being born
	seen   population        // since the last window
	let    map[int]time.Time // numbers that calls were let go on to, and when
	calls  waiter            // nil in a gate's own tests
}

// counter counts a control group again, see headcount.
type counter func(last population, everybody bool) population

func counterOf(group *cgroup.Group) counter {
	return func(last population, everybody bool) population { return headcount(group, last, everybody) }
}

// waiter is where the calls wait, see seccomp.Listener.
type waiter interface {
	Release()
	Hurry(on bool)
}

// A window is the time in which a snapshot or an interpreter is born: from its
// parent's leave to fork until it is known and stands in its own group. Calls are
// held from the fork on, and not before: a thread that waits in one may hold what
// the parent needs in order to fork, the interpreter's lock.
type window struct {
	caller int  // who may fork, as this process counts
	forked bool // it has
}

// underWay is how long a call that was let go on may take to happen: longer than any
// scheduler starves a thread between two instructions of the kernel.
const underWay = time.Minute

// sisterly are the flags with which a session forks: the driver's, exactly.
const sisterly = syscall.CLONE_PARENT | syscall.CLONE_CHILD_SETTID | syscall.CLONE_CHILD_CLEARTID | uint64(syscall.SIGCHLD)

// guard has a gate judge the calls under a session's filter.
func (b *Backend) guard(fd int, run *cgroup.Group) (*seccomp.Listener, *gate, error) {
	g := &gate{let: map[int]time.Time{}}
	if run != nil {
		g.count = counterOf(run)
	}
	listener, err := b.supervisor.AddJudged(fd, g)
	if err != nil {
		return nil, nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = listener
	return listener, g, nil
}

// keepFrom names the groups of the snapshots.
func (g *gate) keepFrom(snapshots *cages) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.apart, g.seen = snapshots.count, population{}
}

// open lets caller fork one sister, and has every call held that could reach it.
// What it returns ends that, when the newcomer stands where it belongs or is
// dead.
func (g *gate) open(caller int) (shut func()) {
	w := &window{caller: caller}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.window = w
	if g.calls != nil {
		g.calls.Hurry(true)
	}
	return func() { g.shut(w) }
}

func (g *gate) shut(w *window) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.window != w {
		return
	}
	g.window, g.seen = nil, population{}
	for number, at := range g.let {
		if time.Since(at) > underWay {
			delete(g.let, number)
		}
	}
	if g.calls != nil {
		g.calls.Hurry(false)
		g.calls.Release()
	}
}

// promised reports whether a call that was let go on may still meet the process
// which has this number now, as the sandbox counts. A snapshot with such a number
// is given up; the next one has another.
func (g *gate) promised(number int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, known := g.let[number]
	return known && time.Since(at) <= underWay
}

// Judge implements seccomp.Judge.
func (g *gate) Judge(c seccomp.Call) seccomp.Answer {
	if without(snapshotGate) {
		return seccomp.Answer{Continue: true}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case c.Name == "clone":
		return g.fork(c)
	case g.count == nil:
		return seccomp.Answer{Continue: true}
	case g.window != nil && g.window.forked:
		return seccomp.Answer{Hold: true}
	case !g.find(false, func(p population) bool { _, in := p.members[c.PID]; return in }):
		return refuse(syscall.EPERM) // a snapshot has nothing to call
	}
	t := targetOf(c)
	if t.kind == atOwnGroup {
		t = target{kind: atGroup, number: g.seen.members[c.PID].family}
	}
	return g.reach(t)
}

// fork judges clone with flags that no other filter allows.
func (g *gate) fork(c seccomp.Call) seccomp.Answer {
	w := g.window
	if w == nil || w.forked || c.PID != w.caller || c.Args[0] != sisterly {
		return refuse(syscall.EPERM)
	}
	w.forked = true
	return seccomp.Answer{Continue: true}
}

// reach judges by what a call is aimed at.
func (g *gate) reach(t target) seccomp.Answer {
	found := true
	switch t.kind {
	case atNobody:
		return refuse(t.errno)
	case atProcess:
		found = g.find(false, func(p population) bool { return p.numbered(t.number) })
	case atGroup:
		found = t.number > 0 && g.find(true, func(p population) bool { return p.inFamily(t.number) }) && !g.shared(t.number)
	case atSelf:
	}
	if !found {
		return refuse(syscall.ESRCH)
	}
	if t.kind != atSelf {
		g.let[t.number] = time.Now()
	}
	return seccomp.Answer{Continue: true}
}

// find asks what is known of the group, and looks again before it says no: at
// everybody, where the answer may have changed for those who were there. Who has
// died since the last look is found, which does no harm: until the next window
// nobody is born outside the group.
func (g *gate) find(everybody bool, in func(population) bool) bool {
	if in(g.seen) {
		return true
	}
	g.seen = g.count(g.seen, everybody)
	return in(g.seen)
}

// shared reports whether a snapshot is in a group of processes too.
func (g *gate) shared(family int) bool {
	return g.apart != nil && g.apart(population{}, true).inFamily(family)
}

func refuse(e syscall.Errno) seccomp.Answer { return seccomp.Answer{Errno: e} }
