package keep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// resolve is for names of one element: nothing is followed, and nothing that
// somebody mounted is entered.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// open opens one name in a directory.
func open(dir *os.File, name string, flags uint64) (*os.File, error) {
	how := unix.OpenHow{Flags: flags | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY, Resolve: resolve}
	if flags&unix.O_PATH != 0 {
		how.Flags = flags | unix.O_NOFOLLOW | unix.O_CLOEXEC
	}
	if flags&unix.O_CREAT != 0 {
		how.Mode = 0o600
	}
	for {
		fd, err := unix.Openat2(int(dir.Fd()), name, &how)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, fmt.Errorf("open %q: %w", name, err)
		}
		return os.NewFile(uintptr(fd), name), nil
	}
}

func openDir(dir *os.File, name string) (*os.File, error) {
	return open(dir, name, unix.O_RDONLY|unix.O_DIRECTORY)
}

// enter opens a directory of the program's, shut or not. undo gives it the mode
// back that it had.
func enter(dir *os.File, name string) (f *os.File, undo func(), err error) {
	f, err = openDir(dir, name)
	if err == nil {
		st, err := statOf(f)
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		if st.Mode&0o700 == 0o700 {
			return f, func() {}, nil
		}
		f.Close()
	} else if !errors.Is(err, unix.EACCES) {
		return nil, nil, err
	}
	held, err := open(dir, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return nil, nil, err
	}
	defer held.Close()
	st, err := statOf(held)
	if err != nil {
		return nil, nil, err
	}
	// A descriptor that is only a path has no other way to a mode, and the name
	// itself may be a link by now.
	if err := unix.Chmod("/proc/self/fd/"+strconv.Itoa(int(held.Fd())), st.Mode&0o7777|0o700); err != nil {
		return nil, nil, fmt.Errorf("enter %q: %w", name, err)
	}
	if f, err = openDir(held, "."); err != nil {
		return nil, nil, err
	}
	return f, func() { _ = unix.Fchmod(int(f.Fd()), st.Mode&0o7777) }, nil
}

// list gives the names in a directory, at most limit and one more.
func list(dir *os.File, limit int) ([]string, error) {
	again, err := openDir(dir, ".") // an offset of its own
	if err != nil {
		return nil, err
	}
	defer again.Close()
	var names []string
	for len(names) <= limit {
		some, err := again.Readdirnames(min(1024, limit+1-len(names)))
		names = append(names, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list directory: %w", err)
		}
	}
	return names, nil
}

// look describes what stands at a name.
func look(dir *os.File, name string) (*unix.Stat_t, error) {
	st := new(unix.Stat_t)
	if err := unix.Fstatat(int(dir.Fd()), name, st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, fmt.Errorf("look at %q: %w", name, err)
	}
	return st, nil
}

func statOf(f *os.File) (*unix.Stat_t, error) {
	st := new(unix.Stat_t)
	if err := unix.Fstat(int(f.Fd()), st); err != nil {
		return nil, fmt.Errorf("look at %q: %w", f.Name(), err)
	}
	return st, nil
}

func isDir(mode uint32) bool     { return mode&unix.S_IFMT == unix.S_IFDIR }
func isRegular(mode uint32) bool { return mode&unix.S_IFMT == unix.S_IFREG }

// bytesOf is what a file occupies.
func bytesOf(st *unix.Stat_t) int64 { return st.Blocks * 512 }
