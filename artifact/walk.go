package artifact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The bounds of a walk. A tree beyond them is cut, and the list of refused
// files says so.
const (
	maxEntries = 10_000
	maxDepth   = 32
	batch      = 256 // entries read from a directory at a time
)

// directory takes what lies in dir, in order of names, then what lies below: a
// crowded folder cannot use up what a file beside it needs.
func (h *harvest) directory(ctx context.Context, dir string, depth int) error {
	if depth > maxDepth {
		h.skip(dir+"/", fmt.Sprintf("directory is deeper than %d levels", maxDepth))
		return nil
	}
	entries, err := h.list(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !plainName(e.Name()) {
			h.skip(dir+"/", "directory holds a name that is no name")
			continue
		}
		name := path.Join(dir, e.Name())
		if accidental(e.Name(), e.IsDir()) {
			continue
		}
		if err := h.entry(ctx, name, e, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry takes or refuses one name.
func (h *harvest) entry(ctx context.Context, name string, e fs.DirEntry, depth int) error {
	kind := e.Type()
	switch {
	case kind.IsDir():
		return h.directory(ctx, name, depth+1)
	case h.walk.knows(name, e):
		return nil
	case kind.IsRegular():
		return h.file(ctx, name, e)
	default:
		h.skip(name, kindWord(kind))
		return nil
	}
}

// list reads the entries of dir, as many as the walk may still look at: its
// files by name, then its folders.
func (h *harvest) list(ctx context.Context, dir string) ([]fs.DirEntry, error) {
	f, err := h.fsys.Open(dir)
	if err != nil {
		h.skip(dir+"/", "directory cannot be opened")
		return nil, nil
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		h.skip(dir+"/", "directory cannot be read")
		return nil, nil
	}
	var all []fs.DirEntry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		room := maxEntries - h.entries
		if room <= 0 {
			h.skip(dir+"/", fmt.Sprintf("the harvest ended after %d entries", maxEntries))
			break
		}
		got, err := d.ReadDir(min(batch, room))
		got = got[:min(len(got), room)]
		h.entries += len(got)
		all = append(all, got...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(got) == 0 {
			h.skip(dir+"/", "directory cannot be read to its end")
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int {
		return cmp.Or(cmp.Compare(folder(a), folder(b)), strings.Compare(a.Name(), b.Name()))
	})
	return all, nil
}

// folder is 1 for a folder and 0 for everything else.
func folder(e fs.DirEntry) int {
	if e.IsDir() {
		return 1
	}
	return 0
}

// plainName refuses what no kernel puts into a directory.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

func kindWord(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	default:
		return "not a regular file"
	}
}
