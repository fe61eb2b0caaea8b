package keep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mapped says which inodes of this file system a process may write to through a
// mapping. Without files nobody needs to be asked.
func (s *Store) mapped(files int) (map[uint64]bool, error) {
	if files == 0 || s.o.Processes == nil {
		return nil, nil
	}
	pids, err := s.o.Processes()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	found := map[uint64]bool{}
	for _, pid := range pids {
		if err := s.mappedBy(pid, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *Store) mappedBy(pid int, found map[uint64]bool) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err == nil {
		defer f.Close()
		err = writable(f, s.device, found)
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) { // it has ended
		return nil
	}
	if err != nil {
		return fmt.Errorf("read mappings: %w", err)
	}
	return nil
}

// writable reads a table of mappings: "start-end rw-s offset major:minor inode
// path". The kernel quotes newlines in the path, so a name cannot make a line;
// it may make a long one.
func writable(table io.Reader, device uint64, found map[uint64]bool) error {
	want := fmt.Sprintf("%02x:%02x", unix.Major(device), unix.Minor(device))
	lines := bufio.NewReaderSize(table, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		head, _, _ := strings.Cut(string(line[:min(len(line), 160)]), " /")
		fields := strings.Fields(head)
		if len(fields) >= 5 && len(fields[1]) == 4 && fields[1][1] == 'w' && fields[1][3] == 's' && fields[3] == want {
			if ino, err := strconv.ParseUint(fields[4], 10, 64); err == nil {
				found[ino] = true
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long name
			_, err = lines.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
