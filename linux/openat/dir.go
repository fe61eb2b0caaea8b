package openat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// MaxEntries bounds Dir.ReadDir.
const MaxEntries = 1 << 16

// lookups bounds how often a lookup is repeated that the kernel could not
// finish because somebody renamed meanwhile.
const lookups = 32

const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS |
	unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// Dir is the tree below one directory. It implements fs.FS, fs.ReadDirFS,
// fs.StatFS and io.Closer, and may be used from several goroutines.
type Dir struct {
	root *os.File
	err  error // why there is no root
	held func(ino uint64) bool
}

// Discount makes what is opened from now on tell one link less of every file for
// which held, which may be asked from several goroutines, says true: one that
// somebody else has outside the tree. It returns d.
func (d *Dir) Discount(held func(ino uint64) bool) *Dir {
	d.held = held
	return d
}

// info describes a file.
func (d *Dir) info(path string, st *unix.Stat_t) *info {
	if st.Nlink > 1 && d.held != nil && st.Mode&unix.S_IFMT != unix.S_IFDIR && d.held(st.Ino) {
		st.Nlink--
	}
	return &info{path: path, st: st}
}

// FS returns the tree below the directory that dirfd is open on; an O_PATH
// descriptor will do. It keeps a copy of the descriptor, which Close closes, so
// that dirfd stays the caller's. When no copy can be had (EMFILE), every method
// says so.
func FS(dirfd int) *Dir {
	fd, err := unix.FcntlInt(uintptr(dirfd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return &Dir{err: fmt.Errorf("copy directory descriptor: %w", err)}
	}
	return &Dir{root: os.NewFile(uintptr(fd), "directory")}
}

// Open opens the regular file or directory of that name. The file also
// implements io.ReaderAt and io.Seeker, or fs.ReadDirFile for a directory.
func (d *Dir) Open(name string) (fs.File, error) {
	f, st, err := d.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	info := d.info(name, st)
	if info.IsDir() {
		return &directory{d: d, f: f, info: info}, nil
	}
	return &file{f: f, info: info}, nil
}

// File opens the regular file of that name for who hands its descriptor on.
func (d *Dir) File(name string) (*os.File, error) {
	f, st, err := d.open(name)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		f.Close()
		err = unix.EISDIR
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

// Stat describes what stands at name, without following it when it is a link.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	f, st, err := d.look(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	f.Close()
	return d.info(name, st), nil
}

// ReadDir lists a directory, sorted by name. A directory of more than
// MaxEntries gives the first ones and ErrTooMany.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	return d.ReadDirN(name, MaxEntries)
}

// ReadDirN lists at most n entries of a directory, sorted by name; when there
// are more it gives n of them and an error that wraps ErrTooMany.
func (d *Dir) ReadDirN(name string, n int) ([]fs.DirEntry, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dir, ok := f.(*directory)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: unix.ENOTDIR}
	}
	return dir.list(n)
}

// Close closes the copy that FS made. Files that were opened stay open.
func (d *Dir) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// look returns an O_PATH descriptor, which nothing can be read from and whose
// making has no side effect whatever the file is, and what it stands for.
func (d *Dir) look(name string) (*os.File, *unix.Stat_t, error) {
	return d.resolve(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC)
}

// open looks first and opens only what is a regular file or a directory.
func (d *Dir) open(name string) (*os.File, *unix.Stat_t, error) {
	seen, want, err := d.look(name)
	if err != nil {
		return nil, nil, err
	}
	defer seen.Close() // held, so that the inode number cannot be given away
	if err := onlyPlain(want); err != nil {
		return nil, nil, err
	}
	f, got, err := d.resolve(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY)
	if err != nil {
		return nil, nil, err
	}
	if got.Dev != want.Dev || got.Ino != want.Ino {
		f.Close()
		return nil, nil, ErrChanged
	}
	return f, got, nil
}

func (d *Dir) resolve(name string, flags uint64) (*os.File, *unix.Stat_t, error) {
	if !valid(name) {
		return nil, nil, fs.ErrInvalid
	}
	if d.root == nil {
		return nil, nil, d.err
	}
	conn, err := d.root.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	var fd int
	var failed error
	if err := conn.Control(func(root uintptr) {
		fd, failed = openat2(int(root), name, flags)
	}); err != nil {
		return nil, nil, err
	}
	if failed != nil {
		return nil, nil, explain(failed)
	}
	f := os.NewFile(uintptr(fd), name)
	st := new(unix.Stat_t)
	if err := unix.Fstat(fd, st); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("stat descriptor: %w", err)
	}
	return f, st, nil
}

func openat2(root int, name string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags, Resolve: resolve}
	var fd int
	err := error(unix.EAGAIN)
	for range lookups {
		fd, err = unix.Openat2(root, name, &how)
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return fd, err
}

// valid is fs.ValidPath without its demand for UTF-8.
func valid(name string) bool {
	if name == "." {
		return true
	}
	if strings.ContainsRune(name, 0) {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return true
}
