package keep

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// content is what a regular file held at one look. One that was not copied is
// still told apart from every other.
type content struct {
	size    int64
	extents []extent // the rest are holes
	pack    *pack    // nil: not copied
	bytes   int64    // in the pack, in whole pages
	mark    uint64
}

// extent is a run of bytes of a file that stands at another place in a pack.
type extent struct{ off, len, at int64 }

// extentsOf asks the file system where a file has data.
func extentsOf(f *os.File, size int64) ([]extent, error) {
	var all []extent
	for at := int64(0); at < size; {
		start, err := unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break // nothing but a hole to the end
		}
		if err != nil {
			return nil, fmt.Errorf("find data of %s: %w", f.Name(), err)
		}
		end, err := unix.Seek(int(f.Fd()), start, unix.SEEK_HOLE)
		if err != nil {
			return nil, fmt.Errorf("find data of %s: %w", f.Name(), err)
		}
		if end = min(end, size); start >= end {
			break
		}
		all = append(all, extent{off: start, len: end - start})
		at = end
	}
	return all, nil
}

// same reports whether f holds c, which is in pack, byte by byte.
func (c *content) same(pack, f *os.File, size int64) (bool, error) {
	if size != c.size {
		return false, nil
	}
	now, err := extentsOf(f, size)
	if err != nil || len(now) != len(c.extents) {
		return false, err
	}
	const portion = 256 << 10
	a, b := make([]byte, portion), make([]byte, portion)
	for i, e := range c.extents {
		if now[i].off != e.off || now[i].len != e.len {
			return false, nil
		}
		for done := int64(0); done < e.len; done += portion {
			n := min(portion, e.len-done)
			if _, err := f.ReadAt(a[:n], e.off+done); err != nil {
				return false, fmt.Errorf("compare: %w", err)
			}
			if _, err := pack.ReadAt(b[:n], e.at+done); err != nil {
				return false, fmt.Errorf("compare: %w", err)
			}
			if !bytes.Equal(a[:n], b[:n]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// shorten takes from f what c does not have: the room for what is written then.
func (c *content) shorten(f *os.File, size int64) error {
	if size > c.size {
		if err := f.Truncate(c.size); err != nil {
			return fmt.Errorf("shorten: %w", err)
		}
	}
	at := int64(0)
	for _, e := range append(c.extents[:len(c.extents):len(c.extents)], extent{off: c.size}) {
		if err := punch(f, at, pages(max(0, min(e.off, size)-at))); err != nil {
			return err
		}
		at = e.off + e.len
	}
	return nil
}

// write makes f hold c, in place.
func (c *content) write(pack, f *os.File) error {
	for _, e := range c.extents {
		if err := transfer(pack, e.at, f, e.off, e.len); err != nil {
			return err
		}
	}
	if err := f.Truncate(c.size); err != nil { // also when it ends in a hole
		return fmt.Errorf("set size: %w", err)
	}
	return nil
}

// transfer copies bytes inside the kernel. A source that ends too early is an error: it
// was changed.
func transfer(from *os.File, off int64, to *os.File, at, length int64) error {
	for length > 0 {
		n, err := unix.CopyFileRange(int(from.Fd()), &off, int(to.Fd()), &at, int(min(length, 1<<30)), 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = unix.ESTALE
		}
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
		length -= int64(n)
	}
	return nil
}

// pages rounds up to whole pages, in which the file system counts.
func pages(n int64) int64 {
	size := int64(os.Getpagesize())
	return (n + size - 1) / size * size
}
