package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/fdpass"
)

// Notices of a checkpoint that was not taken.
const (
	checkpointFailed      = "checkpoint_failed"
	checkpointSkipped     = "checkpoint_skipped"     // see pace; with the number of cells that have none
	checkpointTooLarge    = "checkpoint_too_large"   // the state leaves no room to change it beside a checkpoint
	checkpointUnavailable = "checkpoint_unavailable" // none ever is: the host cannot limit memory and processes
	filesNotKept          = "files_not_kept"         // it has variables only; with the reason
	filesLeftOut          = "files_left_out"         // it has not all files; with their number and names
)

// birthPatience is how long a process that was asked for may take to speak:
// milliseconds, unless the host is very busy.
const birthPatience = 5 * time.Second

// checkpoint takes what a later cell may go back to. It runs behind the answer.
func (s *session) checkpoint(execution string, wall time.Duration) {
	s.ran = execution
	if s.cages == nil {
		return
	}
	s.prune()
	s.pace.ran(wall)
	switch {
	case s.tree.live != nil && !s.pace.due():
		s.notice(checkpointSkipped, "cells", strconv.Itoa(s.count-s.tree.live.count))
		return
	case s.tooLarge():
		s.notice(checkpointTooLarge)
		return
	}
	if err := s.keep(execution); err != nil && s.ended("take checkpoint") == nil {
		s.backend.logger.Warn("take checkpoint", "error", err)
		s.notice(checkpointFailed)
	}
}

// keep makes the live state a checkpoint.
func (s *session) keep(execution string) error {
	copied := s.weigh()
	n, err := s.take(execution)
	for tries := 1; errors.Is(err, errStuck) && tries < 3; tries++ { // it is chance
		n, err = s.take(execution)
	}
	if err != nil {
		return err
	}
	s.tree.add(n)
	s.tellFiles(n.files)
	s.pace.taken(copied)
	s.weighAnew()
	s.thin()
	return nil
}

// notice is told with the next cell, with names and values of arguments.
func (s *session) notice(code string, args ...string) {
	n := cellwall.Notice{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		n.Args[args[i]] = args[i+1]
	}
	s.notices = append(s.notices, n)
}

// take has the live interpreter fork a snapshot of itself, and moves that out of
// the cells' group.
func (s *session) take(execution string) (*node, error) {
	n := &node{id: cellwall.NewID(cellwall.PrefixCheckpoint), execution: execution, at: time.Now(), count: s.count}
	cage, err := s.cages.open(s.cageLimits())
	if err != nil {
		return nil, err
	}
	n.cage = cage
	files := s.keepFiles(n.id)
	var standing guest.Standing
	defer s.gate.open(s.live.pid)() // until the newcomer, or a stray, is out of reach
	defer stir(s.group, s.live)()
	watched := s.watchBirth()
	_ = s.live.channel.SetWriteDeadline(time.Now().Add(birthPatience))
	if err = s.speech.settle(s.live.channel); err == nil {
		n.snapshot, err = s.beget(s.live.channel, guest.KindTake, guest.Take{Checkpoint: n.id}, birth{
			says: guest.KindStanding, as: &standing, in: s.group,
		})
	}
	if watched() { // also when its word came at the same moment: it is dead
		err = errStuck
	}
	if err == nil && (standing.Checkpoint != n.id || s.gate.promised(n.snapshot.number)) {
		err = errStranger
	}
	if err == nil {
		err = cage.MoveIn(n.snapshot.pid)
	}
	n.files = files()
	if err != nil {
		s.forgetFiles(n.id)
		if n.snapshot != nil {
			n.snapshot.discard()
		}
		s.killStrays(s.group, s.live.pid)
		s.give(cage)
		return nil, err
	}
	return n, nil
}

// birth is what is known of a process before it lives.
type birth struct {
	says guest.Kind // its first frame
	as   any
	in   *cgroup.Group // where it is born
}

// beget asks a process of the session for another, whose channel goes along, and
// returns it when it has spoken.
func (s *session) beget(parent *net.UnixConn, kind guest.Kind, message any, b birth) (*member, error) {
	mine, theirs, err := fdpass.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	err = fdpass.PassCredentials(mine)
	if err == nil {
		err = ask(parent, kind, message, theirs)
	}
	if err != nil {
		mine.Close()
		return nil, err
	}
	theirs.Close() // before its word: an end of file says that nobody will speak
	m, err := s.greet(mine, b)
	if err != nil {
		mine.Close()
		return nil, err
	}
	return m, nil
}

// ask sends one frame with a descriptor.
func ask(to *net.UnixConn, kind guest.Kind, message any, file *os.File) error {
	payload, err := json.Marshal(message)
	if err != nil {
		return err
	}
	var frame bytes.Buffer
	if err := guest.WriteFrame(&frame, kind, payload); err != nil {
		return err
	}
	_ = to.SetWriteDeadline(time.Now().Add(birthPatience))
	return fdpass.Send(to, frame.Bytes(), int(file.Fd()))
}

// greet waits for the first frame of a process and holds the one that sent it.
func (s *session) greet(channel *net.UnixConn, b birth) (*member, error) {
	_ = channel.SetReadDeadline(time.Now().Add(s.backend.birthPatience))
	reader := fdpass.NewReader(channel)
	defer reader.Close() // whatever came along
	kind, payload, err := guest.NewReader(reader).Next()
	if err != nil {
		return nil, fmt.Errorf("wait for frame %q: %w", byte(b.says), err)
	}
	if kind != b.says {
		return nil, fmt.Errorf("%w: frame %q in place of %q", guest.ErrProtocol, byte(kind), byte(b.says))
	}
	if err := guest.Decode(payload, b.as); err != nil {
		return nil, err
	}
	if standing, ok := b.as.(*guest.Standing); ok && standing.Error != "" {
		return nil, errors.New("the interpreter could not fork: " + clip(standing.Error))
	}
	_ = channel.SetReadDeadline(time.Time{})
	pid, _ := reader.Peer()
	m, _, err := s.stem.meet(channel, pid, s.warden, b.in)
	return m, err
}

// stir has the kernel begin the grace period that moving a process waits for, 10
// ms, while somebody is still being born: a process is moved to where it is. What
// it returns waits for it.
func stir(in *cgroup.Group, m *member) (wait func()) {
	var moving sync.WaitGroup
	moving.Go(func() {
		if !m.process.Ended() {
			_ = in.MoveIn(m.pid) // the move that matters reports its own error
		}
	})
	return moving.Wait
}

// letGo ends a checkpoint: its snapshot leaves at the end of its channel, or is
// killed.
func (s *session) letGo(n *node) {
	s.tree.remove(n)
	s.forgetFiles(n.id)
	n.snapshot.discard()
	s.give(n.cage)
}

// told is what a sandbox says of its losses.
func told(notices []guest.Notice) []cellwall.Notice {
	out := make([]cellwall.Notice, 0, len(notices))
	for _, n := range notices {
		out = append(out, cellwall.Notice{Code: n.Code, Args: n.Args})
	}
	return out
}

// clip bounds what an error quotes of a sandbox's words.
func clip(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}
