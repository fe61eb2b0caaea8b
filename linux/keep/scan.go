package keep

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

var (
	errTooMany = fmt.Errorf("more than %d files", MaxEntries)
	errTooDeep = fmt.Errorf("directories more than %d deep", MaxDepth)
)

// scan is one walk over Work.
type scan struct {
	s       *Store
	epoch   uint64
	entries int
	files   []found // regular files, each once
	changed []string
}

// found is a regular file as the scan met it.
type found struct {
	of   *inode
	path string
}

// scan links whatever is new and describes the tree. Contents are not filled in.
func (s *Store) scan() (*scan, *node, error) {
	s.epoch++
	w := &scan{s: s, epoch: s.epoch}
	st, err := statOf(s.work)
	if err != nil {
		return nil, nil, err
	}
	if st.Mode&0o700 != 0o700 { // as enter does, which a shut directory itself keeps out
		if err := unix.Fchmod(int(s.work.Fd()), st.Mode&0o7777|0o700); err != nil {
			return nil, nil, fmt.Errorf("open directory: %w", err)
		}
		defer func() { _ = unix.Fchmod(int(s.work.Fd()), st.Mode&0o7777) }()
	}
	tree, err := w.directory(s.work, "", st, 0)
	return w, tree, err
}

func (w *scan) directory(f *os.File, path string, st *unix.Stat_t, depth int) (*node, error) {
	if depth > MaxDepth {
		return nil, errTooDeep
	}
	before, err := statOf(f)
	if err != nil {
		return nil, err
	}
	names, err := list(f, MaxEntries-w.entries)
	if err != nil {
		return nil, err
	}
	if w.entries += len(names); w.entries > MaxEntries {
		return nil, errTooMany
	}
	slices.SortFunc(names, strings.Compare)
	n := &node{of: w.s.directory(st.Ino), mode: st.Mode, mtime: st.Mtim}
	for _, name := range names {
		c, err := w.entry(f, name, join(path, name), depth)
		switch {
		case errors.Is(err, unix.ENOENT): // gone since the list was made
		case errors.Is(err, unix.EPERM): // a directory by now, which has no second name
			w.changed = append(w.changed, join(path, name))
		case err != nil:
			return nil, err
		default:
			n.children = append(n.children, child{name: name, node: c})
		}
	}
	after, err := statOf(f)
	if err != nil {
		return nil, err
	}
	if before.Mtim != after.Mtim {
		w.changed = append(w.changed, path+"/")
	}
	return n, nil
}

func (w *scan) entry(dir *os.File, name, path string, depth int) (*node, error) {
	st, err := look(dir, name)
	if err != nil {
		return nil, err
	}
	if isDir(st.Mode) {
		f, undo, err := enter(dir, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		defer undo()
		if now, err := statOf(f); err != nil || now.Ino != st.Ino {
			return nil, unix.ENOENT // another one stands there: the list is old
		}
		return w.directory(f, path, st, depth+1)
	}
	i, err := w.s.link(dir, name, st)
	if err != nil {
		return nil, err
	}
	if i.scanned != w.epoch && isRegular(i.mode) {
		w.files = append(w.files, found{of: i, path: path})
	}
	i.scanned = w.epoch
	return &node{of: i, mode: i.mode&unix.S_IFMT | st.Mode&0o7777, mtime: st.Mtim}, nil
}

func (s *Store) directory(ino uint64) *inode {
	i := s.inodes[ino]
	if i == nil {
		i = &inode{ino: ino, mode: unix.S_IFDIR}
		s.inodes[ino] = i
	}
	return i
}

// link finds the file at a name, or gives it a link in Hidden. What counts is
// what was linked: the name may stand for something else by then.
func (s *Store) link(dir *os.File, name string, st *unix.Stat_t) (*inode, error) {
	if i := s.inodes[st.Ino]; i != nil && i.mode == st.Mode&unix.S_IFMT {
		return i, nil
	}
	s.next++
	link := "f" + strconv.FormatUint(s.next, 10)
	hidden := int(s.hidden.Fd())
	if err := unix.Linkat(int(dir.Fd()), name, hidden, link, 0); err != nil {
		return nil, fmt.Errorf("link %q: %w", name, err)
	}
	got, err := look(s.hidden, link)
	if err != nil {
		return nil, err
	}
	known := s.inodes[got.Ino]
	if known == nil || isDir(known.mode) { // its number was a directory's that is gone
		known = &inode{ino: got.Ino, mode: got.Mode & unix.S_IFMT, link: link}
		s.inodes[got.Ino] = known
		return known, nil
	}
	return known, unix.Unlinkat(hidden, link, 0)
}
