package keep

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// build gives a directory the names that it lacks. What does not come back is
// named, and the rest goes on.
func (r *restoring) build(dir *os.File, want *node, path string) {
	for _, c := range want.children {
		at := join(path, c.name)
		err := r.place(dir, c.name, c.node)
		if err == nil && isDir(c.node.mode) {
			err = r.into(dir, c.name, func(f *os.File) error {
				r.build(f, c.node, at)
				return nil
			})
		}
		if err != nil {
			r.done.Missing = append(r.done.Missing, at)
		}
	}
}

// place puts one thing at its name, if it is not there.
func (r *restoring) place(dir *os.File, name string, want *node) error {
	if r.right[want] {
		return nil
	}
	r.done.Linked++
	if !isDir(want.mode) {
		r.touched[want.of], r.asIs[want.of] = true, false
		if err := unix.Linkat(int(r.s.hidden.Fd()), want.of.link, int(dir.Fd()), name, 0); err != nil {
			return fmt.Errorf("link %q: %w", name, err)
		}
		return nil
	}
	if moved, ok := r.stash[want.of.ino]; ok {
		delete(r.stash, want.of.ino)
		if err := unix.Renameat(int(r.s.trash.Fd()), moved, int(dir.Fd()), name); err != nil {
			return fmt.Errorf("move %q back: %w", name, err)
		}
		return nil
	}
	if err := unix.Mkdirat(int(dir.Fd()), name, 0o700); err != nil {
		return fmt.Errorf("make directory %q: %w", name, err)
	}
	return r.renumber(dir, name, want.of)
}

// renumber notes that a directory has become another one, for every checkpoint
// that has it.
func (r *restoring) renumber(dir *os.File, name string, i *inode) error {
	st, err := look(dir, name)
	if err != nil {
		return err
	}
	delete(r.s.inodes, i.ino)
	i.ino = st.Ino
	r.s.inodes[i.ino] = i
	return nil
}

// finish sets modes and times, from the leaves up: what was done below a
// directory changed its time.
func (r *restoring) finish(dir *os.File, want *node, path string) {
	for _, c := range want.children {
		at, n := join(path, c.name), c.node
		var err error
		switch {
		case r.asIs[n.of]:
		case isDir(n.mode):
			err = r.into(dir, c.name, func(f *os.File) error {
				r.finish(f, n, at)
				return nil
			})
		case n.mode&unix.S_IFMT != unix.S_IFLNK: // which has no mode, and would be followed
			err = unix.Fchmodat(int(r.s.hidden.Fd()), n.of.link, n.mode&0o7777, 0)
			fallthrough
		default:
			r.touched[n.of] = true
			err = errors.Join(err, setTime(r.s.hidden, n.of.link, n.mtime))
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			r.done.Missing = append(r.done.Missing, at)
		}
	}
	if err := errors.Join(setTime(dir, ".", want.mtime), unix.Fchmod(int(dir.Fd()), want.mode&0o7777)); err != nil {
		r.done.Missing = append(r.done.Missing, path+"/")
	}
}

// setTime sets the modification time of what stands at a name.
func setTime(dir *os.File, name string, mtime unix.Timespec) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, mtime}
	if err := unix.UtimesNanoAt(int(dir.Fd()), name, times, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("set time of %q: %w", name, err)
	}
	return nil
}
