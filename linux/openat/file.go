package openat

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// file is an open regular file. It hides what else an *os.File can do.
type file struct {
	f    *os.File
	info *info
}

func (f *file) Stat() (fs.FileInfo, error)               { return f.info, nil }
func (f *file) Read(p []byte) (int, error)               { return f.f.Read(p) }
func (f *file) ReadAt(p []byte, at int64) (int, error)   { return f.f.ReadAt(p, at) }
func (f *file) Seek(at int64, whence int) (int64, error) { return f.f.Seek(at, whence) }
func (f *file) Close() error                             { return f.f.Close() }

// directory is an open directory. Names come from the kernel in portions, so
// that a listing costs what was asked for and not what the directory holds.
type directory struct {
	d    *Dir
	f    *os.File
	info *info
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *directory) Close() error               { return d.f.Close() }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.path, Err: unix.EISDIR}
}

// ReadDir gives the next n entries in the kernel's order; with n <= 0, all, at
// most MaxEntries. A name that vanished meanwhile is left out.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		return d.list(MaxEntries)
	}
	names, err := d.f.Readdirnames(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &fs.PathError{Op: "readdir", Path: d.info.path, Err: err}
	}
	entries, failed := d.entries(names)
	if failed != nil {
		return entries, failed
	}
	return entries, err
}

// list reads up to n entries and sorts them.
func (d *directory) list(n int) ([]fs.DirEntry, error) {
	const portion = 512
	var all []fs.DirEntry
	var err error
	for err == nil && len(all) <= n {
		var some []fs.DirEntry
		some, err = d.ReadDir(min(portion, n+1-len(all)))
		all = append(all, some...)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(all) > n {
		all, err = all[:n], &fs.PathError{Op: "readdir", Path: d.info.path, Err: ErrTooMany}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, err
}

// entries looks at each name through the descriptor: a name from the kernel
// has one element, so the look cannot leave the directory.
func (d *directory) entries(names []string) ([]fs.DirEntry, error) {
	out := make([]fs.DirEntry, 0, len(names))
	conn, err := d.f.SyscallConn()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		st := new(unix.Stat_t)
		var failed error
		if err := conn.Control(func(fd uintptr) {
			failed = unix.Fstatat(int(fd), name, st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT)
		}); err != nil {
			return out, err
		}
		if errors.Is(failed, unix.ENOENT) {
			continue
		}
		if failed != nil {
			return out, &fs.PathError{Op: "stat", Path: name, Err: failed}
		}
		out = append(out, fs.FileInfoToDirEntry(d.d.info(name, st)))
	}
	return out, nil
}
