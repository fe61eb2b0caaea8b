package keep

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// suspect is a file that has to be copied.
type suspect struct {
	found
	now   stamp
	bytes int64 // that it occupies
}

// judge says which files hold something else than when they were seen last.
func (s *Store) judge(w *scan, mapped Mapped, taken *Taken) ([]suspect, error) {
	var copies []suspect
	for _, f := range w.files {
		now, st, err := s.stamp(f.of)
		if err != nil {
			return nil, err
		}
		taken.Bytes += bytesOf(st)
		i := f.of
		// Mapped before counts as well: it may have been written to until it was
		// let go.
		doubt := i.mapped || mapped.has(i.ino)
		i.mapped = mapped.has(i.ino)
		known := i.now != nil && !i.seen.written(now)
		if known && !doubt && !i.seen.touched(now) {
			continue
		}
		if known && i.now.pack != nil {
			same, err := s.compare(i)
			if err != nil { // it is copied, or named when that fails too
				same = false
			}
			if same {
				i.seen = now
				continue
			}
		}
		i.now = nil // until it is copied
		copies = append(copies, suspect{found: f, now: now, bytes: bytesOf(st)})
	}
	return copies, nil
}

// stamp looks at a file. An access at the very time of the look cannot be told
// from one after it.
func (s *Store) stamp(i *inode) (stamp, *unix.Stat_t, error) {
	clock, err := coarse()
	if err != nil {
		return stamp{}, nil, err
	}
	st, err := look(s.hidden, i.link)
	if err != nil {
		return stamp{}, nil, err
	}
	now := stampOf(st)
	now.recent = !before(now.atime, clock)
	return now, st, nil
}

func (s *Store) compare(i *inode) (bool, error) {
	f, undo, err := s.openFile(i, unix.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer f.Close()
	defer undo()
	st, err := statOf(f)
	if err != nil {
		return false, err
	}
	pack, err := s.openPack(i.now.pack)
	if err != nil {
		return false, err
	}
	defer pack.Close()
	return i.now.same(pack, f, st.Size)
}

// openFile opens a regular file by its link in Hidden, where nobody can put
// another one, shut or not. undo gives it the mode back that it had. Reading
// leaves no trace in its access time.
func (s *Store) openFile(i *inode, flags uint64) (f *os.File, undo func(), err error) {
	f, err = open(s.hidden, i.link, flags|unix.O_NOATIME)
	if !errors.Is(err, unix.EACCES) {
		return f, func() {}, err
	}
	st, err := look(s.hidden, i.link)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.Fchmodat(int(s.hidden.Fd()), i.link, st.Mode&0o7777|0o600, 0); err != nil {
		return nil, nil, fmt.Errorf("open file: %w", err)
	}
	undo = func() { _ = unix.Fchmodat(int(s.hidden.Fd()), i.link, st.Mode&0o7777, 0) }
	if f, err = open(s.hidden, i.link, flags|unix.O_NOATIME); err != nil {
		undo()
		return nil, nil, err
	}
	return f, undo, nil
}
