package keep

import (
	"cmp"
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// copyAll copies files into a pack of their own and names those that it did not
// get, or not as of one moment.
func (s *Store) copyAll(copies []suspect, taken *Taken) error {
	if len(copies) == 0 {
		return nil
	}
	if err := s.apart(copies); err != nil {
		return err
	}
	p, file, err := s.newPack()
	if err != nil {
		return err
	}
	defer file.Close()
	for _, f := range copies {
		stable, err := s.copy(p, file, f.of)
		switch {
		case errors.Is(err, unix.ENOSPC): // Work is over its limit
			err = s.leaveOut(f)
			taken.Over = append(taken.Over, f.path)
		case err != nil:
			err = s.leaveOut(f)
			taken.Changed = append(taken.Changed, f.path)
		case !stable:
			taken.Changed = append(taken.Changed, f.path)
		}
		if err != nil {
			return err
		}
		taken.CopiedBytes += f.of.now.bytes
	}
	return s.release(p)
}

// apart returns when a change from now on can be told from those before it.
func (s *Store) apart(copies []suspect) error {
	if s.fineClock {
		return nil
	}
	newest := slices.MaxFunc(copies, func(a, b suspect) int { return cmp.Compare(a.now.ctime.Nano(), b.now.ctime.Nano()) })
	return awaitTick(newest.now.ctime)
}

// leaveOut notes that a file holds something that nobody copied. Only its times
// can say later that it still does.
func (s *Store) leaveOut(f suspect) error {
	if err := awaitTick(f.now.atime); err != nil {
		return err
	}
	now, _, err := s.stamp(f.of)
	f.of.now, f.of.seen = &content{size: now.size}, now
	return err
}

// copy copies one file, once more when it was changed meanwhile.
func (s *Store) copy(p *pack, file *os.File, i *inode) (stable bool, err error) {
	f, undo, err := s.openFile(i, unix.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer f.Close()
	defer undo()
	for again := true; ; again = false {
		now, _, err := s.stamp(i)
		if err != nil {
			return false, err
		}
		c, err := p.save(file, f, now.size)
		switch {
		case errors.Is(err, unix.ESTALE) && again:
			continue
		case err != nil:
			return false, err
		}
		after, _, err := s.stamp(i)
		if err != nil {
			return false, err
		}
		stable = !now.written(after) && now.ctime == after.ctime
		s.copied += c.bytes
		if stable || !again {
			s.contents[c] = true
			i.now, i.seen = c, now
			return stable, nil
		}
		if err := s.discard(c); err != nil {
			return false, err
		}
	}
}
