package native

import "os"

// weigh notes what the live state has copied of the checkpoint that it grows from
// and returns it, in bytes. Looking closely takes milliseconds in a large process:
// few faults are taken for copies, many are looked at.
func (s *session) weigh() int64 {
	n := s.tree.live
	if n == nil {
		return 0
	}
	now, err := faults(s.live.pid)
	if err != nil {
		return n.bytes // it has ended
	}
	n.bytes = (now - s.touched) * int64(os.Getpagesize())
	if n.bytes >= heavy/8 {
		if bytes, err := unshared(n.snapshot.pid); err == nil {
			n.bytes = bytes
		}
	}
	return n.bytes
}

// weighAnew counts from here on: the live state has just been made a checkpoint,
// or come from one.
func (s *session) weighAnew() {
	if now, err := faults(s.live.pid); err == nil {
		s.touched = now
	}
}

// tooLarge reports whether the live state fills so much of the memory limit that
// a cell could not change a quarter of it beside a checkpoint.
func (s *session) tooLarge() bool {
	has, err := anonymous(s.live.pid)
	return err == nil && has-s.bare > s.limits.MemoryBytes/4*3
}

// thin drops checkpoints until the others keep their bounds: their number, and a
// quarter of the session's memory for what they hold alone.
func (s *session) thin() {
	for len(s.tree.nodes) > s.limits.Checkpoints || s.tree.bytes() > s.limits.MemoryBytes/4 {
		n := s.tree.spare(s.limits.Checkpoints / 4)
		if n == nil {
			return
		}
		s.letGo(n)
	}
}

// prune forgets checkpoints whose snapshots have ended: killed for want of memory,
// or by their own hand, since a cell can spoil the state that it leaves.
func (s *session) prune() {
	for i := len(s.tree.nodes) - 1; i >= 0; i-- {
		if n := s.tree.nodes[i]; n.snapshot.process.Ended() {
			s.letGo(n)
		}
	}
}

// snapshots are the numbers of those that wait, as this process counts.
func (s *session) snapshots() (pids []int) {
	for _, n := range s.tree.nodes {
		pids = append(pids, n.snapshot.pid)
	}
	return pids
}
