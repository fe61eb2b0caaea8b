package seccomp

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxNames   = 64      // distinct names that a listener counts
	otherNames = "other" // the rest
)

// Count is how often a call was refused. Call is a name as [Refusal] gives it,
// or "other" for those beyond the first 64 distinct ones.
type Count struct {
	Call string
	N    int64
}

// Listener is one filter under a [Supervisor]: one sandbox.
type Listener struct {
	supervisor *Supervisor
	token      uint64
	done       chan struct{}
	gone       chan struct{}
	court      *court // nil without a judge

	mu     sync.Mutex
	hurry  bool
	fd     int // -1 when ended
	budget budget
	counts map[string]int64
}

// Counts returns what was refused so far, most frequent first. It can be asked
// at any time, after the end too.
func (l *Listener) Counts() []Count {
	l.mu.Lock()
	out := make([]Count, 0, len(l.counts))
	for call, n := range l.counts {
		out = append(out, Count{call, n})
	}
	l.mu.Unlock()
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Call, b.Call))
	})
	return out
}

// Done is closed when the listener has ended: the last task under the filter
// is gone, or Close was called here or on the supervisor.
func (l *Listener) Done() <-chan struct{} { return l.done }

// Gone is closed when the kernel has said that the last task under the filter
// is gone, and never otherwise: from then on none of them makes a call or runs
// an instruction. Since Linux 6.11 that is said when the task begins to exit
// for good, before that when it has been reaped.
func (l *Listener) Gone() <-chan struct{} { return l.gone }

// Close ends the listener. Calls that are refused afterwards get ENOSYS from
// the kernel, uncounted. It may be called more than once.
func (l *Listener) Close() error {
	l.end()
	return nil
}

// end releases the descriptor, once.
func (l *Listener) end() {
	l.mu.Lock()
	fd := l.fd
	l.fd = -1
	if fd >= 0 {
		// By hand: a descriptor that is open elsewhere too stays in the set.
		_ = l.supervisor.control(unix.EPOLL_CTL_DEL, fd, l.token, 0)
		unix.Close(fd)
	}
	l.mu.Unlock()
	if fd >= 0 {
		l.supervisor.forget(l.token)
		close(l.done)
	}
}

// turn acts on one epoll event: it answers at most one call. It returns false
// when the listener has used up its allowance and is no longer watched.
func (l *Listener) turn(x *exchange, events uint32, now time.Time) bool {
	if events&unix.EPOLLIN == 0 {
		if events&unix.EPOLLHUP != 0 {
			close(l.gone)
		}
		if events&(unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			l.end()
		}
		return true
	}
	watched, err := l.answer(x, now)
	if err != nil {
		// Nothing that waiting would cure. Without us the kernel answers, and
		// answers no.
		l.end()
		return true
	}
	return watched
}

// answer takes one waiting call and refuses it, within the allowance.
func (l *Listener) answer(x *exchange, now time.Time) (watched bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd < 0 {
		return true, nil
	}
	if !l.budget.take(now, l.hurry) {
		return false, l.supervisor.control(unix.EPOLL_CTL_MOD, l.fd, l.token, 0)
	}
	// Does not block: epoll said that a call waits, and nobody else takes one.
	call, args, err := x.receive(l.fd)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINTR):
		return true, nil // the caller was killed between the two
	case err != nil:
		return true, err
	}
	name, errno := Refusal(call.arch, call.number, args)
	if l.plead(x, name, call, args) {
		return true, nil
	}
	l.count(name)
	x.refuse(l.fd, errno)
	return true, nil
}

// plead leaves the call that was received last to the judge, if it is one for a
// judge.
func (l *Listener) plead(x *exchange, refused string, call callNumber, args [6]uint64) bool {
	name := Name(call.arch, call.number)
	if l.court == nil || !isJudged(name) {
		return false
	}
	return l.court.admit(plea{id: x.id(), refused: refused, call: Call{PID: x.caller(), Name: name, Args: args}})
}

// Release has the calls that the judge holds judged again.
func (l *Listener) Release() {
	if l.court != nil {
		l.court.release()
	}
}

// Hurry has calls served at once, on credit if need be, or no more: who waits
// for one of a sandbox that floods must not wait for its allowance.
func (l *Listener) Hurry(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hurry = on; on && l.fd >= 0 {
		_ = l.supervisor.control(unix.EPOLL_CTL_MOD, l.fd, l.token, unix.EPOLLIN)
	}
}

// resume reports whether the listener needs no more waiting: it is watched
// again, or has ended.
func (l *Listener) resume(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd < 0 {
		return true
	}
	return (l.hurry || l.budget.ready(now)) && l.supervisor.control(unix.EPOLL_CTL_MOD, l.fd, l.token, unix.EPOLLIN) == nil
}

func (l *Listener) count(name string) {
	if _, known := l.counts[name]; !known && len(l.counts) >= maxNames {
		name = otherNames
	}
	l.counts[name]++
}
