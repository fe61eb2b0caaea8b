package openat

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

var (
	// ErrTooMany says that a directory holds more names than were asked for.
	ErrTooMany = errors.New("directory has more entries than the limit")
	// ErrOutside says that a path leaves the directory or its file system, for
	// instance because something is mounted in it.
	ErrOutside = errors.New("path leaves the directory or its file system")
	// ErrChanged says that a name was given to another file while it was being
	// opened.
	ErrChanged = errors.New("file was replaced while it was being opened")
)

// KindError says that a file is neither a regular file nor a directory, or
// that an element of its path is a link.
type KindError struct {
	Type fs.FileMode // type bits, as fs.FileMode.Type gives them
}

// Error names the kind, as in "is a FIFO, not a regular file or directory".
func (e *KindError) Error() string {
	return fmt.Sprintf("is a %s, not a regular file or directory", e.Kind())
}

// Kind is the kind in words: "symbolic link", "FIFO", "socket", "character
// device", "block device" or "special file".
func (e *KindError) Kind() string {
	switch t := e.Type; {
	case t&fs.ModeSymlink != 0:
		return "symbolic link"
	case t&fs.ModeNamedPipe != 0:
		return "FIFO"
	case t&fs.ModeSocket != 0:
		return "socket"
	case t&fs.ModeCharDevice != 0:
		return "character device"
	case t&fs.ModeDevice != 0:
		return "block device"
	}
	return "special file"
}

func onlyPlain(st *unix.Stat_t) error {
	if t := fileMode(st).Type(); t != 0 && t != fs.ModeDir {
		return &KindError{Type: t}
	}
	return nil
}

// explain gives the answers of RESOLVE_* their meaning: with NO_SYMLINKS, ELOOP
// is a link in the path; with BENEATH and NO_XDEV, EXDEV is a way out.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.ELOOP):
		return &KindError{Type: fs.ModeSymlink}
	case errors.Is(err, unix.EXDEV):
		return ErrOutside
	}
	return err
}
