package keep

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Taken says what a checkpoint has.
type Taken struct {
	Files       int   // regular files
	Bytes       int64 // that they occupy
	CopiedBytes int64 // of them, copied for this checkpoint
	// Complete is false when the checkpoint has no files, and Reason says why.
	Complete bool
	Reason   error
	Changed  []string // written to, or changed their names, while it was taken; what was seen is kept
	Over     []string // not copied for want of room
	Stripped []string // checkpoints that lost their files to make room
}

// Take keeps Work as it is now; mapped says what somebody has mapped. An error is the Store's own failure; the
// checkpoint stands then without files, as it does when Taken is not Complete.
func (s *Store) Take(id string, mapped Mapped) (Taken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(id) >= 0 {
		return Taken{}, fmt.Errorf("take checkpoint %q: %w", id, unix.EEXIST)
	}
	var taken Taken
	err := s.owner.Do(func() error { return s.take(id, mapped, &taken) })
	if err != nil {
		err = fmt.Errorf("take checkpoint of files: %w", err)
	}
	return taken, err
}

func (s *Store) take(id string, mapped Mapped, taken *Taken) error {
	c := &checkpoint{id: id}
	s.checkpoints = append(s.checkpoints, c)
	w, tree, err := s.scan()
	if err != nil {
		taken.Reason = err
		return s.sweep(nil) // of what it linked
	}
	taken.Files, taken.Changed = len(w.files), w.changed
	copies, err := s.judge(w, mapped, taken)
	if err != nil {
		return err
	}
	fill(tree)
	if copies, err = s.makeRoom(copies, w, tree, taken); err != nil {
		return err
	}
	if err := s.copyAll(copies, taken); err != nil {
		return err
	}
	fill(tree)
	if s.live != nil {
		tree = shared(tree, s.live)
	}
	c.tree, s.live, taken.Complete = tree, tree, true
	return s.sweep(nil)
}

// fill notes what the files of a tree hold.
func fill(tree *node) {
	tree.each(func(_ string, n *node) {
		if isRegular(n.mode) {
			n.content, n.mapped = n.of.now, n.of.mapped
		}
	})
}
