package native

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// member is a process of a session that the controller speaks with: the live
// interpreter or a snapshot.
type member struct {
	pid     int            // as this process counts; for control groups only
	process *pidfd.Process // what is signalled
	exit    *exit          // as its parent, the warden, hears of it
	channel *net.UnixConn

	stem   *stem
	inside int // as the warden counts
	number int // as the sandbox counts
}

// errStranger says that whoever spoke is not who may speak there.
var errStranger = errors.New("another process spoke")

// meet holds the process that the kernel names as the speaker on a channel. It
// has to be a child of the session's warden and in the given group: a number may
// have passed to somebody else meanwhile. Its end is listened for before it is
// held, and it is held before it is looked at for good, so that no end is missed
// and no stranger is believed. parent 0 takes any, for the first interpreter:
// nobody's code has run then.
func (s *stem) meet(channel *net.UnixConn, pid, parent int, in *cgroup.Group) (*member, int, error) {
	first, err := lookAt(pid)
	if err != nil {
		return nil, 0, err
	}
	m := &member{pid: pid, channel: channel, stem: s, inside: first.inside, number: first.number}
	m.exit = s.listenFor(m.inside)
	if m.process, err = pidfd.Open(pid); err != nil {
		s.stopListening(m.inside, m.exit)
		return nil, 0, err
	}
	second, err := lookAt(pid)
	ours := true
	if err == nil && in != nil {
		ours, err = in.Has(pid)
	}
	if err == nil && (!ours || second != first || m.process.Ended() || (parent != 0 && second.parent != parent)) {
		err = errStranger
	}
	if err != nil {
		m.release()
		return nil, 0, fmt.Errorf("meet process %d: %w", pid, err)
	}
	return m, second.parent, nil
}

// release lets go of what is held of a process; it does not end it. The channel
// is closed, which lets a snapshot go.
func (m *member) release() {
	m.channel.Close()
	m.process.Close()
	m.stem.stopListening(m.inside, m.exit)
}

// discard ends the process and lets go of it.
func (m *member) discard() {
	_ = m.process.Kill() // else it leaves at the end of its channel
	m.release()
}

// look is what the kernel says of a process.
type look struct{ parent, inside, number int }

// lookAt reads the parent of a process, as this process counts, and its numbers
// as the warden and as the sandbox count, the innermost two.
func lookAt(pid int) (look, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return look{}, fmt.Errorf("look at process: %w", err)
	}
	return parseLook(string(text))
}

func parseLook(status string) (l look, err error) {
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		switch {
		case key == "PPid" && len(fields) == 1:
			l.parent, err = strconv.Atoi(fields[0])
		case key == "NSpid" && len(fields) >= 2:
			if l.inside, err = strconv.Atoi(fields[len(fields)-2]); err == nil {
				l.number, err = strconv.Atoi(fields[len(fields)-1])
			}
		}
		if err != nil {
			return look{}, fmt.Errorf("look at process: %w", err)
		}
	}
	if l.parent <= 0 || l.inside <= 0 || l.number <= 0 {
		return look{}, errors.New("look at process: the kernel does not say whose it is")
	}
	return l, nil
}

// listenFor returns where the end of the warden's child with that number will
// be told.
func (s *stem) listenFor(inside int) *exit {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &exit{told: make(chan struct{})}
	s.members[inside] = e
	return e
}

func (s *stem) stopListening(inside int, e *exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members[inside] == e {
		delete(s.members, inside)
	}
}

func (s *stem) tellEnded(event endedEvent) {
	tell(s, s.members, event.PID, exitEvent{Code: event.Code, Signal: event.Signal})
}
