package openat

import (
	"io/fs"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// info is a stat result as fs.FileInfo.
type info struct {
	path string
	st   *unix.Stat_t
}

func (i *info) Name() string       { return i.path[strings.LastIndexByte(i.path, '/')+1:] }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) Mode() fs.FileMode  { return fileMode(i.st) }
func (i *info) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }

// Sys returns a *syscall.Stat_t, as os.FileInfo of this platform does.
func (i *info) Sys() any {
	s := i.st
	return &syscall.Stat_t{
		Dev: s.Dev, Ino: s.Ino, Nlink: s.Nlink, Mode: s.Mode, Uid: s.Uid, Gid: s.Gid, Rdev: s.Rdev,
		Size: s.Size, Blksize: s.Blksize, Blocks: s.Blocks,
		Atim: syscall.Timespec{Sec: s.Atim.Sec, Nsec: s.Atim.Nsec},
		Mtim: syscall.Timespec{Sec: s.Mtim.Sec, Nsec: s.Mtim.Nsec},
		Ctim: syscall.Timespec{Sec: s.Ctim.Sec, Nsec: s.Ctim.Nsec},
	}
}

func fileMode(st *unix.Stat_t) fs.FileMode {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	for bit, flag := range map[uint32]fs.FileMode{
		unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky,
	} {
		if st.Mode&bit != 0 {
			mode |= flag
		}
	}
	return mode
}
