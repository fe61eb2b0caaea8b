package seccomp

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxPleas is how many calls of one session may wait for its judge. Each has a
// task that waits with it, so only one that kills its own comes near.
const maxPleas = 4096

// A plea is a call that waits for a judge.
type plea struct {
	id      uint64 // by which the kernel knows it
	refused string // what it is counted as
	call    Call
}

// court is the goroutine that asks a listener's judge.
type court struct {
	listener *Listener
	judge    Judge
	response []byte
	wake     chan struct{}

	mu       sync.Mutex
	waiting  []plea
	held     []plea
	releases int
}

func newCourt(l *Listener, j Judge, sizes notifSizes) *court {
	return &court{listener: l, judge: j, response: make([]byte, sizes.response), wake: make(chan struct{}, 1)}
}

// admit takes a plea, or reports that too many wait.
func (c *court) admit(p plea) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting)+len(c.held) >= maxPleas {
		return false
	}
	c.waiting = append(c.waiting, p)
	c.ring()
	return true
}

// release has everything that is held judged again.
func (c *court) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releases++
	c.waiting = append(c.held, c.waiting...)
	c.held = nil
	c.ring()
}

func (c *court) ring() {
	select {
	case c.wake <- struct{}{}:
	default: // it has been rung for already
	}
}

// sit is the goroutine. It ends with the listener.
func (c *court) sit() {
	for {
		select {
		case <-c.listener.done:
			return
		case <-c.wake:
		}
		for p, ok := c.next(); ok; p, ok = c.next() {
			c.decide(p)
		}
	}
}

func (c *court) next() (p plea, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return p, false
	}
	p = c.waiting[0]
	c.waiting = c.waiting[1:]
	return p, true
}

// decide asks the judge and passes its answer on. What it costs is the
// session's own to pay.
func (c *court) decide(p plea) {
	c.mu.Lock()
	seen := c.releases
	c.mu.Unlock()
	began := time.Now()
	answer := c.judge.Judge(p.call)
	if !answer.Hold {
		c.listener.reply(c.response, p, answer, time.Since(began))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.releases != seen { // between the answer and here
		c.waiting = append(c.waiting, p)
		return
	}
	c.held = append(c.held, p)
}

// reply answers a plea. A caller that was killed meanwhile gives ENOENT, which is
// no concern of ours.
func (l *Listener) reply(response []byte, p plea, a Answer, cost time.Duration) {
	if !a.Continue && a.Errno == 0 {
		a.Errno = unix.ENOSYS
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd < 0 {
		return
	}
	l.budget.spend(cost)
	if !a.Continue && suspicious(a.Errno) {
		l.count(p.refused)
	}
	respond(l.fd, response, p.id, a)
}
