package session

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// File is one entry below /workspace/output. Its name is hostile.
type File struct {
	Name     string // "/" separated
	Bytes    int64
	Modified time.Time
	Mode     fs.FileMode
}

// The bounds of a list of files.
const (
	maxFiles     = 10_000
	maxNameBytes = 4 << 20 // of all names together
	fileBatch    = 256     // entries read at a time
)

// Files lists what lies below /workspace/output, folder by folder; more says
// that it is not all. It waits for its turn.
func (s *Session) Files(ctx context.Context) (files []File, more bool, err error) {
	inside, leave, err := s.work(ctx, call{op: "list files"})
	if err != nil {
		return nil, false, err
	}
	defer leave()
	tree, err := s.live.Interpreter().Workspace()
	if err != nil {
		return nil, false, err
	}
	l := listing{tree: tree}
	for folders := []string{"."}; len(folders) > 0 && !l.more; folders = folders[1:] {
		if inside.Err() != nil {
			return nil, false, context.Cause(inside)
		}
		folders = append(folders, l.folder(folders[0])...)
	}
	return l.files, l.more, nil
}

// listing is a list of files in the making.
type listing struct {
	tree  fs.FS
	files []File
	names int // bytes
	more  bool
}

// folder adds the entries of a folder, and returns the folders among them. One
// that goes away while it is read is as good as empty.
func (l *listing) folder(name string) (below []string) {
	f, err := l.tree.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	first := len(l.files)
	for {
		entries, err := d.ReadDir(fileBatch)
		for _, e := range entries {
			if l.more = len(l.files) == maxFiles || l.names > maxNameBytes; l.more {
				return nil
			}
			l.entry(path.Join(name, e.Name()), e)
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	own := l.files[first:]
	slices.SortFunc(own, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range own {
		if f.Mode.IsDir() {
			below = append(below, f.Name)
		}
	}
	return below
}

func (l *listing) entry(name string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil {
		return
	}
	l.names += len(name)
	l.files = append(l.files, File{Name: name, Bytes: info.Size(), Modified: info.ModTime(), Mode: info.Mode()})
}
