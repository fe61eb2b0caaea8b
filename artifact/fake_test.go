package artifact

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cellwall/cellwall"
)

// memory is a Sink that keeps what it takes.
type memory struct{ kept map[string][]byte }

func (m *memory) Put(_ context.Context, content io.Reader) (Stored, error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return Stored{}, err
	}
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	if m.kept == nil {
		m.kept = map[string][]byte{}
	}
	m.kept[name] = b
	return Stored{SHA256: name, Bytes: int64(len(b))}, nil
}

// evil is a directory tree whose files may lie about themselves.
type evil map[string]*lie

type lie struct {
	data []byte // what reading gives
	size int64  // what stat says; -1 = the truth
	mode fs.FileMode
	link uint64
	fail error // of Open

	opened *lie // what Open gives instead
}

func (e evil) Open(name string) (fs.File, error) {
	if l, ok := e[name]; ok {
		if l.fail != nil {
			return nil, l.fail
		}
		if l.opened != nil {
			l = l.opened
		}
		return &evilFile{name: name, l: l, r: bytes.NewReader(l.data)}, nil
	}
	names := map[string]bool{}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	for n := range e {
		if rest, ok := strings.CutPrefix(n, prefix); ok {
			first, _, _ := strings.Cut(rest, "/")
			names[first] = true
		}
	}
	if len(names) == 0 && name != "." {
		return nil, fs.ErrNotExist
	}
	d := &evilDir{fsys: e, dir: prefix}
	for n := range names {
		d.names = append(d.names, n)
	}
	slices.Sort(d.names)
	slices.Reverse(d.names) // a kernel has an order of its own
	return d, nil
}

type evilFile struct {
	name string
	l    *lie
	r    io.Reader
}

func (f *evilFile) Stat() (fs.FileInfo, error) { return evilInfo{f.name, f.l}, nil }
func (f *evilFile) Read(p []byte) (int, error) { return f.r.Read(p) }
func (f *evilFile) Close() error               { return nil }

type evilInfo struct {
	name string
	l    *lie
}

func (i evilInfo) Name() string       { return path.Base(i.name) }
func (i evilInfo) Mode() fs.FileMode  { return i.l.mode }
func (i evilInfo) ModTime() time.Time { return time.Time{} }
func (i evilInfo) IsDir() bool        { return i.l.mode.IsDir() }
func (i evilInfo) Sys() any {
	var st syscall.Stat_t
	setLinks(&st.Nlink, max(1, i.l.link))
	return &st
}

func (i evilInfo) Size() int64 {
	if i.l.size >= 0 {
		return i.l.size
	}
	return int64(len(i.l.data))
}

// setLinks writes a count whose width differs between architectures.
func setLinks[T uint16 | uint32 | uint64](field *T, n uint64) { *field = T(n) }

type evilDir struct {
	fsys  evil
	dir   string
	names []string
}

func (d *evilDir) Stat() (fs.FileInfo, error) { return evilInfo{d.dir, &lie{mode: fs.ModeDir}}, nil }
func (d *evilDir) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (d *evilDir) Close() error               { return nil }
func (d *evilDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if len(d.names) == 0 && n > 0 {
		return nil, io.EOF
	}
	if n <= 0 {
		n = len(d.names)
	}
	n = min(n, len(d.names))
	var all []fs.DirEntry
	for _, name := range d.names[:n] {
		l, ok := d.fsys[d.dir+name]
		if !ok {
			l = &lie{mode: fs.ModeDir}
		}
		all = append(all, fs.FileInfoToDirEntry(evilInfo{name, l}))
	}
	d.names = d.names[n:]
	return all, nil
}

func text(s string) *lie { return &lie{data: []byte(s), size: -1} }

// tree is a real directory, opened as a backend does: without following links
// and without blocking.
type tree struct{ root *os.Root }

func (t tree) Open(name string) (fs.File, error) {
	return t.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

func realTree(t *testing.T) (string, tree) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, tree{root}
}

func mapFS(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func collect(t *testing.T, fsys fs.FS, limits Limits) Harvested {
	t.Helper()
	h, err := Harvest(t.Context(), fsys, limits, &memory{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func names(all []cellwall.Artifact) []string {
	out := []string{}
	for _, a := range all {
		out = append(out, a.Name)
	}
	return out
}

// reasonFor returns why a file was not taken, "" when nobody says.
func reasonFor(h Harvested, name string) string {
	for _, s := range h.Skipped {
		if s.Name == name {
			return s.Reason
		}
	}
	return ""
}
