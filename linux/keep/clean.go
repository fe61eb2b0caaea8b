package keep

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// aside is a directory that was moved to trash.
type aside struct {
	name string
	ino  uint64
	want *node // what the checkpoint has of it, nil when it has nothing
}

// clean removes what is not in want from a directory of Work, and goes down into
// what is. With want nil nothing is left. A file is told by its number, which
// cannot have passed to another as long as Hidden has a link.
func (r *restoring) clean(dir *os.File, want *node) error {
	names, err := list(dir, math.MaxInt-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		st, err := look(dir, name)
		if err != nil {
			return err
		}
		c := want.child(name)
		right := c != nil && c.of.ino == st.Ino && c.of.mode&unix.S_IFMT == st.Mode&unix.S_IFMT
		r.right[c] = right
		switch {
		case right && isDir(st.Mode):
			err = r.into(dir, name, func(f *os.File) error { return r.clean(f, c) })
		case right:
			r.asIs[c.of] = st.Mode == c.mode && st.Mtim == c.mtime
		case isDir(st.Mode):
			r.done.Removed++
			err = r.putAside(dir, name, st.Ino)
		default:
			r.done.Removed++
			if i := r.s.inodes[st.Ino]; i != nil { // another name of it may stay
				r.touched[i] = true
			}
			if err = unix.Unlinkat(int(dir.Fd()), name, 0); err != nil {
				err = fmt.Errorf("remove %q: %w", name, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// into opens a directory that is to be changed. Its mode is set at the end.
func (r *restoring) into(dir *os.File, name string, do func(*os.File) error) error {
	f, _, err := enter(dir, name)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// putAside moves a directory to trash, whatever is in it: so its depth costs
// nothing, and one that the checkpoint has elsewhere can be moved there.
func (r *restoring) putAside(dir *os.File, name string, ino uint64) error {
	// One that may not be written to cannot be moved: ".." is in it.
	if err := r.into(dir, name, func(*os.File) error { return nil }); err != nil {
		return err
	}
	r.s.next++
	to := "d" + strconv.FormatUint(r.s.next, 10)
	if err := unix.Renameat(int(dir.Fd()), name, int(r.s.trash.Fd()), to); err != nil {
		return fmt.Errorf("move %q away: %w", name, err)
	}
	r.apart = append(r.apart, aside{name: to, ino: ino, want: r.folders[ino]})
	return nil
}

// takeApart looks through what was put aside: directories of the checkpoint are
// kept for their place, the others go.
func (r *restoring) takeApart() error {
	for len(r.apart) > 0 {
		a := r.apart[0]
		r.apart = r.apart[1:]
		if err := r.into(r.s.trash, a.name, func(f *os.File) error { return r.clean(f, a.want) }); err != nil {
			return err
		}
		if a.want != nil {
			r.stash[a.ino] = a.name
			continue
		}
		if err := r.remove(a.name); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoring) remove(name string) error {
	if err := unix.Unlinkat(int(r.s.trash.Fd()), name, unix.AT_REMOVEDIR); err != nil {
		return fmt.Errorf("remove directory: %w", err)
	}
	return nil
}

// throwAway removes what found no place after all.
func (r *restoring) throwAway() error {
	for ino, name := range r.stash {
		r.folders[ino] = nil
		r.apart = append(r.apart, aside{name: name, ino: ino})
	}
	clear(r.stash)
	return r.takeApart()
}
