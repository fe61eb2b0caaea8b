package environment

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// stripTail cuts symbol tables and debug information off a shared object when
// they lie behind everything that is loaded, as linkers put them. Nothing that
// is loaded moves, which is what makes this safe for objects whose headers a
// wheel builder has rearranged; a real strip corrupts those now and then. It
// returns how many bytes went. A file of another kind is left alone.
func stripTail(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	e, err := elf.NewFile(f)
	if err != nil || e.Class != elf.ELFCLASS64 || e.ByteOrder != binary.ByteOrder(binary.LittleEndian) {
		return 0, nil
	}
	// The program headers are read by the loader though no segment may name
	// them.
	head := make([]byte, 64)
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0, err
	}
	end := binary.LittleEndian.Uint64(head[32:]) + uint64(len(e.Progs))*uint64(binary.LittleEndian.Uint16(head[54:]))
	for _, p := range e.Progs {
		if p.Type != elf.PT_GNU_STACK {
			end = max(end, p.Off+p.Filesz)
		}
	}
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			end = max(end, s.Offset+s.FileSize)
		}
	}
	size := uint64(info.Size())
	if end >= size || len(e.Progs) == 0 {
		return 0, nil
	}
	// The table of sections is cut off with the rest: say that there is none.
	binary.LittleEndian.PutUint64(head[40:], 0) // e_shoff
	binary.LittleEndian.PutUint16(head[60:], 0) // e_shnum
	binary.LittleEndian.PutUint16(head[62:], 0) // e_shstrndx
	if _, err := f.WriteAt(head, 0); err != nil {
		return 0, err
	}
	return int64(size - end), f.Truncate(int64(end))
}

// stripRoot strips every shared object of the root.
func stripRoot(root *os.Root, m Manifest) error {
	for _, e := range m {
		if !e.Mode.IsRegular() || !strings.Contains(e.Path, ".so") {
			continue
		}
		if err := stripFile(root, e.Path); err != nil {
			return fmt.Errorf("strip %s: %w", e.Path, err)
		}
	}
	return nil
}

func stripFile(root *os.Root, name string) (err error) {
	f, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	magic := make([]byte, 4)
	if _, err := f.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(magic) != elf.ELFMAG {
		return nil
	}
	_, err = stripTail(f)
	return err
}
