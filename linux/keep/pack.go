package keep

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pack is a file of Hidden with the contents that one checkpoint copied.
type pack struct {
	name string
	end  int64
	live int // contents in it, and who is writing to it
}

// newPack makes a pack and opens it, until release.
func (s *Store) newPack() (*pack, *os.File, error) {
	s.next++
	p := &pack{name: "p" + strconv.FormatUint(s.next, 10), live: 1}
	f, err := open(s.hidden, p.name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL)
	return p, f, err
}

func (s *Store) openPack(p *pack) (*os.File, error) { return open(s.hidden, p.name, unix.O_RDWR) }

// save appends what f holds to the pack, which is open as file.
func (p *pack) save(file, f *os.File, size int64) (*content, error) {
	found, err := extentsOf(f, size)
	if err != nil {
		return nil, err
	}
	c := &content{size: size, pack: p, extents: found}
	start := p.end
	for i := range c.extents {
		e := &c.extents[i]
		e.at = p.end
		p.end += pages(e.len)
		if err := transfer(f, e.off, file, e.at, e.len); err != nil {
			return nil, errors.Join(err, punch(file, start, p.end-start))
		}
	}
	c.bytes = p.end - start
	p.live++
	return c, nil
}

// discard gives back what a content occupies, and the pack with its last one.
func (s *Store) discard(c *content) error {
	s.copied -= c.bytes
	delete(s.contents, c)
	if c.pack.live > 1 && c.bytes > 0 {
		f, err := s.openPack(c.pack)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := punch(f, c.extents[0].at, c.bytes); err != nil {
			return err
		}
	}
	return s.release(c.pack)
}

// release removes a pack that nobody needs any more.
func (s *Store) release(p *pack) error {
	if p.live--; p.live > 0 {
		return nil
	}
	if err := unix.Unlinkat(int(s.hidden.Fd()), p.name, 0); err != nil {
		return fmt.Errorf("remove %s: %w", p.name, err)
	}
	return nil
}

// punch gives pages of a file back without making it shorter.
func punch(f *os.File, off, length int64) error {
	if length == 0 {
		return nil
	}
	if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, length); err != nil {
		return fmt.Errorf("make hole in %s: %w", f.Name(), err)
	}
	return nil
}
