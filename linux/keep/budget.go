package keep

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// makeRoom leaves out what would never fit, the largest files, and strips the
// oldest checkpoints until the rest does.
func (s *Store) makeRoom(copies []suspect, w *scan, tree *node, taken *Taken) ([]suspect, error) {
	if err := s.measureLeft(w.epoch); err != nil {
		return nil, err
	}
	copies, need, err := s.leaveOutLargest(copies, tree, taken)
	if err != nil {
		return nil, err
	}
	if s.copied+s.left+need <= s.o.Budget {
		return copies, nil
	}
	for _, c := range s.inOrder() {
		c.tree = nil
		taken.Stripped = append(taken.Stripped, c.id)
		if err := s.sweep(tree); err != nil {
			return nil, err
		}
		if s.copied+s.left+need <= s.o.Budget {
			break
		}
	}
	return copies, nil
}

// inOrder lists the checkpoints that have files, those first that lose them
// first.
func (s *Store) inOrder() (all []*checkpoint) {
	if s.o.Order != nil {
		for _, id := range s.o.Order() {
			if n := s.find(id); n >= 0 && s.checkpoints[n].tree != nil {
				all = append(all, s.checkpoints[n])
			}
		}
	}
	for _, c := range s.checkpoints {
		if c.tree != nil && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// leaveOutLargest returns the copies that fit beside what the new tree shares
// with older ones, and what they need.
func (s *Store) leaveOutLargest(copies []suspect, tree *node, taken *Taken) (fit []suspect, need int64, err error) {
	room := s.o.Budget
	s.epoch++
	tree.each(func(_ string, n *node) {
		if c := n.content; c != nil && c.mark != s.epoch {
			c.mark = s.epoch
			room -= c.bytes
		}
	})
	slices.SortStableFunc(copies, func(a, b suspect) int { return cmp.Compare(a.bytes, b.bytes) })
	for _, f := range copies {
		if need+f.bytes > room {
			if err := s.leaveOut(f); err != nil {
				return nil, 0, err
			}
			taken.Over = append(taken.Over, f.path)
			continue
		}
		need += f.bytes
		fit = append(fit, f)
	}
	return fit, need, nil
}

// measureLeft asks which files only Hidden still has. Those that the last scan
// met are in Work.
func (s *Store) measureLeft(scanned uint64) error {
	s.left = 0
	for _, i := range s.inodes {
		i.left = 0
		if i.link == "" || i.scanned == scanned {
			continue
		}
		st, err := look(s.hidden, i.link)
		if err != nil {
			return err
		}
		if st.Nlink == 1 {
			i.left = bytesOf(st)
			s.left += i.left
		}
	}
	return nil
}

// sweep lets go of what neither a checkpoint nor extra, which may be nil, holds.
func (s *Store) sweep(extra *node) error {
	s.epoch++
	for _, c := range s.checkpoints {
		c.tree.reach(s.epoch)
	}
	extra.reach(s.epoch)
	for c := range s.contents {
		if c.mark != s.epoch {
			if err := s.discard(c); err != nil {
				return err
			}
		}
	}
	for ino, i := range s.inodes {
		if i.now != nil && i.now.pack != nil && i.now.mark != s.epoch {
			i.now = nil
		}
		if i.mark == s.epoch {
			continue
		}
		if i.link != "" {
			if err := unix.Unlinkat(int(s.hidden.Fd()), i.link, 0); err != nil {
				return fmt.Errorf("remove %s: %w", i.link, err)
			}
		}
		s.left -= i.left
		delete(s.inodes, ino)
	}
	return nil
}

// reach marks all that a tree holds.
func (n *node) reach(epoch uint64) {
	if n == nil || n.mark == epoch {
		return
	}
	n.mark, n.of.mark = epoch, epoch
	if n.content != nil {
		n.content.mark = epoch
	}
	for _, c := range n.children {
		c.node.reach(epoch)
	}
}
