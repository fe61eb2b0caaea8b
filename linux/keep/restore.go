package keep

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Restored says what going back did.
type Restored struct {
	Rewritten int // files that got their content back
	Linked    int // names that came back, directories among them
	Removed   int // names that the checkpoint does not have
	// Missing are files of the checkpoint that are not as they were.
	Missing []string
}

// restoring is one Restore.
type restoring struct {
	s       *Store
	tree    *node
	folders map[uint64]*node // directories of the tree, by number
	dirty   map[*inode]bool  // files that were touched since they were seen
	right   map[*node]bool   // that are at their place
	asIs    map[*inode]bool  // files with mode and time of the checkpoint
	touched map[*inode]bool  // files whose times this has moved
	apart   []aside          // directories in trash that are to be looked through
	stash   map[uint64]string
	done    Restored
}

// Restore makes Work what it was when the checkpoint was taken. What it cannot
// bring back it names; an error, of ErrUnknown and ErrStripped apart, says that
// it had to stop.
func (s *Store) Restore(id string) (Restored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.find(id)
	if n < 0 {
		return Restored{}, fmt.Errorf("restore files of %q: %w", id, ErrUnknown)
	}
	tree := s.checkpoints[n].tree
	if tree == nil {
		return Restored{}, fmt.Errorf("restore files of %q: %w", id, ErrStripped)
	}
	r := &restoring{
		s: s, tree: tree, folders: map[uint64]*node{}, dirty: map[*inode]bool{},
		right: map[*node]bool{}, asIs: map[*inode]bool{}, touched: map[*inode]bool{}, stash: map[uint64]string{},
	}
	if err := s.owner.Do(r.run); err != nil {
		return r.done, fmt.Errorf("restore files of %q: %w", id, err)
	}
	s.live = tree
	return r.done, nil
}

func (r *restoring) run() error {
	if err := r.lookAround(); err != nil {
		return err
	}
	st, err := statOf(r.s.work)
	if err != nil {
		return err
	}
	if err := unix.Fchmod(int(r.s.work.Fd()), st.Mode&0o7777|0o700); err != nil {
		return fmt.Errorf("open directory: %w", err)
	}
	if err := r.clean(r.s.work, r.tree); err != nil {
		return err
	}
	if err := r.takeApart(); err != nil {
		return err
	}
	r.build(r.s.work, r.tree, "")
	if err := r.throwAway(); err != nil {
		return err
	}
	r.fill()
	r.finish(r.s.work, r.tree, "")
	return r.remember()
}

// lookAround finds out which files somebody may have written to since they were
// seen, before anything is moved: names that come and go change the time too.
func (r *restoring) lookAround() error {
	r.tree.each(func(_ string, n *node) {
		if isDir(n.mode) {
			r.folders[n.of.ino] = n
		}
	})
	for _, i := range r.s.inodes {
		if !isRegular(i.mode) {
			continue
		}
		now, _, err := r.s.stamp(i)
		if err != nil {
			return err
		}
		r.dirty[i] = i.now == nil || i.mapped || i.seen.touched(now)
	}
	return nil
}

// fill gives files their content back, first those that become shorter.
func (r *restoring) fill() {
	lost := map[*inode]bool{}
	for _, step := range []func(*inode, *content) error{r.shorten, r.write} {
		seen := map[*inode]bool{}
		r.tree.each(func(path string, n *node) {
			i, c := n.of, n.content
			if !isRegular(n.mode) || seen[i] || lost[i] || (i.now == c && !r.dirty[i]) {
				return
			}
			seen[i] = true
			if err := step(i, c); err != nil {
				lost[i] = true
				i.now = nil
				r.done.Missing = append(r.done.Missing, path)
			}
		})
	}
}

func (r *restoring) shorten(i *inode, c *content) error {
	if c.pack == nil {
		return ErrStripped // never copied, and touched since
	}
	return r.s.opened(i, func(f *os.File) error {
		st, err := statOf(f)
		if err != nil {
			return err
		}
		return c.shorten(f, st.Size)
	})
}

func (r *restoring) write(i *inode, c *content) error {
	pack, err := r.s.openPack(c.pack)
	if err != nil {
		return err
	}
	defer pack.Close()
	err = r.s.opened(i, func(f *os.File) error { return c.write(pack, f) })
	if err != nil {
		return err
	}
	r.done.Rewritten++
	i.now, r.dirty[i] = c, false
	r.asIs[i], r.touched[i] = false, true
	return nil
}

// opened calls f with the file open for reading and writing.
func (s *Store) opened(i *inode, f func(*os.File) error) error {
	file, undo, err := s.openFile(i, unix.O_RDWR)
	if err != nil {
		return err
	}
	defer file.Close()
	defer undo()
	return f(file)
}

// remember sees the files that this has touched as they are now. Of the others
// the last look is right, or somebody else has touched them.
func (r *restoring) remember() error {
	for i := range r.touched {
		if r.dirty[i] || i.now == nil || !isRegular(i.mode) {
			continue
		}
		now, _, err := r.s.stamp(i)
		if err != nil {
			return err
		}
		i.seen = now
	}
	// Whoever waits with a checkpoint has the mappings that it had.
	r.tree.each(func(_ string, n *node) { n.of.mapped = n.of.mapped || n.mapped })
	return nil
}
