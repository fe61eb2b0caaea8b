package openat

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/owner"
)

// maxFolders is how many folders deep a file is put.
const maxFolders = 16

// ErrTooLarge says that a file is longer than its caller allows.
var ErrTooLarge = errors.New("file is larger than allowed")

// Put makes the regular file of that name hold what r gives, and the folders that
// lead there, as the owner of the directory and with no more rights than that one
// has. It replaces a file of that name in one step, so that nobody sees a half,
// and a link rather than what it leads to. It fails with ErrTooLarge past max
// bytes; nothing is left behind then.
func (d *Dir) Put(name string, r io.Reader, max int64) (n int64, err error) {
	err = d.asOwner(name, func() error {
		parent, err := d.folders(path.Dir(name))
		if err != nil {
			return err
		}
		defer parent.Close()
		n, err = replace(parent, path.Base(name), r, max)
		return err
	})
	if err != nil {
		return 0, &fs.PathError{Op: "put", Path: name, Err: err}
	}
	return n, nil
}

// Remove removes the regular file, link or empty folder of that name, as the owner
// of the directory.
func (d *Dir) Remove(name string) error {
	err := d.asOwner(name, func() error {
		parent, _, err := d.resolve(path.Dir(name), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
		if err != nil {
			return err
		}
		defer parent.Close()
		fd, base := int(parent.Fd()), path.Base(name)
		if err = unix.Unlinkat(fd, base, 0); errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
			err = unix.Unlinkat(fd, base, unix.AT_REMOVEDIR)
		}
		return err
	})
	if err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// asOwner calls do as whoever owns the directory, for a name below it.
func (d *Dir) asOwner(name string, do func() error) error {
	if !valid(name) || name == "." {
		return fs.ErrInvalid
	}
	root, st, err := d.look(".")
	if err != nil {
		return err
	}
	root.Close()
	return owner.ID{UID: int(st.Uid), GID: int(st.Gid)}.Do(do)
}

// folders opens the folder of that name, and makes it and those that lead there
// when they are missing.
func (d *Dir) folders(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if strings.Count(name, "/") >= maxFolders {
		return nil, fmt.Errorf("more than %d folders deep: %w", maxFolders, fs.ErrInvalid)
	}
	at, _, err := d.resolve(".", flags)
	if err != nil || name == "." {
		return at, err
	}
	reached := ""
	for element := range strings.SplitSeq(name, "/") {
		err := unix.Mkdirat(int(at.Fd()), element, 0o755)
		at.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return nil, err
		}
		reached = path.Join(reached, element)
		if at, _, err = d.resolve(reached, flags); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// replace writes a file beside its place and moves it there.
func replace(parent *os.File, base string, r io.Reader, max int64) (n int64, err error) {
	dir := int(parent.Fd())
	var aside string
	var f *os.File
	for try := 0; f == nil; try++ {
		aside = fmt.Sprintf(".put-%d-%d", os.Getpid(), try)
		how := unix.OpenHow{
			Flags: unix.O_CREAT | unix.O_EXCL | unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC, Mode: 0o644, Resolve: resolve,
		}
		fd, err := unix.Openat2(dir, aside, &how)
		switch {
		case err == nil:
			f = os.NewFile(uintptr(fd), aside)
		case try == lookups || !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EINTR):
			return 0, err
		}
	}
	defer f.Close()
	defer func() {
		if err != nil {
			_ = unix.Unlinkat(dir, aside, 0) // what is left over is the sandbox's own to see
		}
	}()
	if n, err = io.Copy(f, io.LimitReader(r, max+1)); err != nil {
		return 0, err
	}
	if n > max {
		return 0, ErrTooLarge
	}
	return n, unix.Renameat(dir, aside, dir, base)
}
