package keep

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Over reports whether Work uses more than it may: the file system has room for
// Hidden too. What the program deleted counts as long as it has it open, and not
// because Hidden has it.
func (s *Store) Over() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(s.work.Fd()), &fs); err != nil {
		return false, fmt.Errorf("ask file system of checkpoints: %w", err)
	}
	links := int64(0)
	for _, i := range s.inodes {
		if i.link != "" {
			links++
		}
	}
	packs := map[*pack]bool{}
	for c := range s.contents {
		packs[c.pack] = true
	}
	// Work itself counts as one file, as the root of a file system of its own
	// would; root, Hidden and trash do not.
	const ours = 3
	if int64(fs.Files-fs.Ffree)-links-int64(len(packs))-ours > s.o.Inodes {
		return true, nil
	}
	used := int64(fs.Blocks-fs.Bfree)*fs.Bsize - s.copied
	if used <= s.o.Bytes {
		return false, nil
	}
	s.epoch++ // nothing was scanned
	if err := s.measureLeft(s.epoch); err != nil {
		return false, err
	}
	return used-s.left > s.o.Bytes, nil
}
