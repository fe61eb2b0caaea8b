package cgroup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// dir is an open directory of a control group tree. Paths are relative to it,
// which spares the kernel the walk and us the races.
type dir struct {
	fd   int
	name string // for error texts, and to be compared with /proc/PID/cgroup
}

func openDir(name string) (dir, error) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return dir{fd: -1}, fmt.Errorf("open group %s: %w", name, err)
	}
	return dir{fd: fd, name: name}, nil
}

func (d dir) close() error { return unix.Close(d.fd) }

// open opens a file of the tree. Plain descriptors: an os.File would register
// each with the runtime's poller.
func (d dir) open(file string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(d.fd, file, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return -1, fmt.Errorf("open %s: %w", path.Join(d.name, file), err)
		}
		return fd, nil
	}
}

// write writes one value in one call, as these files demand.
func (d dir) write(file, value string) error {
	fd, err := d.open(file, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		_, err = unix.Write(fd, []byte(value))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("write %s to %s: %w", value, path.Join(d.name, file), err)
		}
		return nil
	}
}

func (d dir) writeInt(file string, n int64) error {
	return d.write(file, strconv.FormatInt(n, 10))
}

// read returns the whole file, of any length.
func (d dir) read(file string) (string, error) {
	fd, err := d.open(file, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), path.Join(d.name, file))
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

// exists reports whether the tree has the file.
func (d dir) exists(file string) bool {
	return unix.Faccessat(d.fd, file, unix.F_OK, 0) == nil
}

func (d dir) mkdir(name string) error { return d.mkdirMode(name, 0o755) }

func (d dir) mkdirMode(name string, mode uint32) error {
	if err := unix.Mkdirat(d.fd, name, mode); err != nil {
		return fmt.Errorf("make group %s: %w", path.Join(d.name, name), err)
	}
	return nil
}

// gone reports whether err says that a group was removed: by name, or under a
// descriptor that was open already.
func gone(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENODEV) }

// preadFlat and preadNumber read a held descriptor from its start: one call.
func preadFlat(fd int) (map[string]int64, error) {
	text, err := pread(fd)
	if err != nil {
		return nil, err
	}
	return parseFlat(text)
}

func preadNumber(fd int) (int64, error) {
	text, err := pread(fd)
	if err != nil {
		return 0, err
	}
	return parseNumber(text)
}

func pread(fd int) (string, error) {
	var buf [4096]byte // the flat-keyed files that we read stay far below
	for {
		n, err := unix.Pread(fd, buf[:], 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("read group file: %w", err)
		}
		return string(buf[:n]), nil
	}
}
