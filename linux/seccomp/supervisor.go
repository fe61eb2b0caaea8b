package seccomp

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The allowance of one listener in refused calls. A flood at Rate costs the
// host about one hundredth of a core.
const (
	Burst = 4096 // at once
	Rate  = 2048 // a second, once Burst is used up
)

const (
	wakeToken = 0                     // epoll token of the wake-up descriptor; listeners count from 1
	turn      = 64                    // listeners served between two looks at the clock
	parkTime  = 10 * time.Millisecond // how often paused listeners are looked at
)

// Supervisor answers the refused calls of any number of sandboxes with one
// goroutine. Create it with [NewSupervisor].
type Supervisor struct {
	epoll, wake int
	sizes       notifSizes
	stopped     chan struct{}

	mu        sync.Mutex
	listeners map[uint64]*Listener
	next      uint64
	closed    bool
}

// NewSupervisor starts a supervisor. It fails when the kernel has no user
// notification (before 5.0) or no descriptors are left.
func NewSupervisor() (*Supervisor, error) {
	sizes, err := kernelSizes()
	if err != nil {
		return nil, fmt.Errorf("ask for notification sizes: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create epoll: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("create wake-up descriptor: %w", err)
	}
	s := &Supervisor{
		epoll: epoll, wake: wake, sizes: sizes,
		stopped: make(chan struct{}), listeners: make(map[uint64]*Listener), next: wakeToken + 1,
	}
	if err := s.control(unix.EPOLL_CTL_ADD, wake, wakeToken, unix.EPOLLIN); err != nil {
		unix.Close(wake)
		unix.Close(epoll)
		return nil, fmt.Errorf("watch wake-up descriptor: %w", err)
	}
	go s.serve()
	return s, nil
}

// Add begins to answer for a filter, and owns fd, its listener descriptor,
// from then on, whatever it returns.
func (s *Supervisor) Add(fd int) (*Listener, error) { return s.add(fd, nil) }

// AddJudged is Add for the filter of a session: j decides about the calls that
// only a session's filter leaves open, all others are refused.
func (s *Supervisor) AddJudged(fd int, j Judge) (*Listener, error) { return s.add(fd, j) }

func (s *Supervisor) add(fd int, j Judge) (*Listener, error) {
	unix.CloseOnExec(fd)
	setSyncWakeUp(fd)
	l := &Listener{
		supervisor: s, fd: fd, done: make(chan struct{}), gone: make(chan struct{}),
		budget: newBudget(time.Now()), counts: make(map[string]int64),
	}
	if j != nil {
		l.court = newCourt(l, j, s.sizes)
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		unix.Close(fd)
		return nil, fmt.Errorf("add listener: %w", errClosed)
	}
	l.token = s.next
	s.next++
	s.listeners[l.token] = l
	s.mu.Unlock()
	if err := s.control(unix.EPOLL_CTL_ADD, fd, l.token, unix.EPOLLIN); err != nil {
		l.end()
		return nil, fmt.Errorf("watch listener: %w", err)
	}
	if l.court != nil {
		go l.court.sit()
	}
	return l, nil
}

var errClosed = errors.New("supervisor is closed")

// Close ends all listeners and waits for the goroutine. Calls that are refused
// afterwards get ENOSYS from the kernel.
func (s *Supervisor) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		// Eight bytes into an eventfd cannot fail short of its maximum.
		_, _ = unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
	<-s.stopped
	return nil
}

// serve is the goroutine.
func (s *Supervisor) serve() {
	defer s.release()
	var (
		events = make([]unix.EpollEvent, turn)
		x      = newExchange(s.sizes)
		parked []*Listener
	)
	for {
		wait := -1
		if len(parked) > 0 {
			wait = int(parkTime / time.Millisecond)
		}
		n, err := unix.EpollWait(s.epoll, events, wait)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // only a closed epoll: nothing is left to answer
		}
		now := time.Now()
		parked = s.resume(parked, now)
		for _, ev := range events[:max(n, 0)] {
			token := tokenOf(ev)
			if token == wakeToken {
				return
			}
			l := s.listener(token)
			if l == nil {
				continue
			}
			if !l.turn(x, ev.Events, now) {
				parked = append(parked, l)
			}
		}
	}
}

// resume puts listeners that have an allowance again back to work, and returns
// the others.
func (s *Supervisor) resume(parked []*Listener, now time.Time) []*Listener {
	keep := parked[:0]
	for _, l := range parked {
		if !l.resume(now) {
			keep = append(keep, l)
		}
	}
	clear(parked[len(keep):])
	return keep
}

// release ends everything that serve held.
func (s *Supervisor) release() {
	s.mu.Lock()
	s.closed = true
	all := make([]*Listener, 0, len(s.listeners))
	for _, l := range s.listeners {
		all = append(all, l)
	}
	s.mu.Unlock()
	for _, l := range all {
		l.end()
	}
	unix.Close(s.epoll)
	unix.Close(s.wake)
	close(s.stopped)
}

func (s *Supervisor) listener(token uint64) *Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listeners[token]
}

func (s *Supervisor) forget(token uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, token)
}

// control changes what epoll watches. The token names the listener, because a
// descriptor's number is used again as soon as it is closed.
func (s *Supervisor) control(op, fd int, token uint64, events uint32) error {
	ev := unix.EpollEvent{Events: events, Fd: int32(token), Pad: int32(token >> 32)}
	return unix.EpollCtl(s.epoll, op, fd, &ev)
}

func tokenOf(ev unix.EpollEvent) uint64 {
	return uint64(uint32(ev.Fd)) | uint64(uint32(ev.Pad))<<32
}
