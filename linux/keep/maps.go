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

// Mapped is which files processes may write to through a mapping. The zero value
// is none.
type Mapped struct {
	inodes map[uint64]bool
	any    bool // nobody could tell, so every file may be
}

func (m Mapped) has(ino uint64) bool { return m.any || m.inodes[ino] }

// Mapped asks what of Work is mapped by processes that this one may look into.
// When Work is empty nobody needs to be asked.
func (s *Store) Mapped(processes func() ([]int, error)) Mapped {
	// On this file system the size of a directory counts its names.
	if st, err := statOf(s.work); err == nil && st.Size == 0 {
		return Mapped{}
	}
	m := Mapped{inodes: map[uint64]bool{}}
	pids, err := processes()
	for _, pid := range pids {
		err = errors.Join(err, s.mappedBy(pid, m.inodes))
	}
	m.any = err != nil
	return m
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
