package keep_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/keep"
	"github.com/cellwall/cellwall/linux/mount"
)

const (
	owner = 4711 // of the files; this process is another user
	mib   = 1 << 20
)

// place is a Store over a workspace of 32 MiB, and a way to the workspace.
type place struct {
	*keep.Store
	root      string // of the file system, with a place outside both directories
	work      string
	processes func() ([]int, error) // that may have mappings; nil: none
}

func (p place) mapped() keep.Mapped {
	if p.processes == nil {
		return keep.Mapped{}
	}
	return p.Mapped(p.processes)
}

func open(t *testing.T, o keep.Options) place {
	t.Helper()
	testkit.RequireRoot(t)
	tree, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: 64 * mib, Inodes: 20_000, Mode: 0o700, AccessTimes: true})
	must(t, err)
	t.Cleanup(func() { tree.Close() })
	for _, name := range []string{"work", "keep"} {
		must(t, mount.Mkdir(tree, name, 0o755, owner))
	}
	o.Work, o.Hidden, o.Bytes, o.Inodes = "work", "keep", 32*mib, 8_000
	if o.Budget == 0 {
		o.Budget = 16 * mib
	}
	s, err := keep.Open(tree, o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	root := fmt.Sprintf("/proc/self/fd/%d", tree.Fd())
	return place{Store: s, root: root, work: root + "/work"}
}

func must(t interface {
	Helper()
	Fatal(...any)
}, err error,
) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p place) at(name string) string { return p.work + "/" + name }

// put writes a file as its owner would leave it.
func (p place) put(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(p.at(name)), 0o755))
	must(t, os.WriteFile(p.at(name), []byte(text), 0o644))
	p.own(t)
}

// own gives everything below work to its owner.
func (p place) own(t interface {
	Helper()
	Fatal(...any)
},
) {
	t.Helper()
	must(t, filepath.WalkDir(p.work, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil || info.Sys().(*syscall.Stat_t).Uid == owner { // a change of owner is a change
			return err
		}
		return os.Lchown(path, owner, owner)
	}))
}

func (p place) get(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(p.at(name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p place) take(t *testing.T, id string) keep.Taken {
	t.Helper()
	taken, err := p.Take(id, p.mapped())
	must(t, err)
	return taken
}

func (p place) restore(t *testing.T, id string) keep.Restored {
	t.Helper()
	restored, err := p.Restore(id)
	must(t, err)
	return restored
}

func TestM40_RestoreUndoesWhateverHappenedToAFile(t *testing.T) {
	for name, harm := range map[string]func(p place, file string) error{
		"written over":       func(_ place, f string) error { return os.WriteFile(f, []byte("XXXX"), 0o644) },
		"half written":       func(_ place, f string) error { return os.Truncate(f, 3) },
		"made longer":        func(_ place, f string) error { return os.Truncate(f, 1<<20) },
		"deleted":            func(_ place, f string) error { return os.Remove(f) },
		"renamed":            func(_ place, f string) error { return os.Rename(f, f+".new") },
		"replaced":           replace,
		"shut":               func(_ place, f string) error { return os.Chmod(f, 0) },
		"made a directory":   func(_ place, f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) },
		"made a link":        func(_ place, f string) error { return errors.Join(os.Remove(f), os.Symlink("/etc/passwd", f)) },
		"made a FIFO":        func(_ place, f string) error { return errors.Join(os.Remove(f), unix.Mkfifo(f, 0o644)) },
		"its directory gone": func(_ place, f string) error { return os.RemoveAll(filepath.Dir(f)) },
		"its directory moved": func(p place, f string) error {
			return errors.Join(os.Rename(filepath.Dir(f), p.at("elsewhere")), os.WriteFile(p.at("elsewhere/more"), nil, 0o644))
		},
		"its directory shut": func(_ place, f string) error {
			return errors.Join(os.WriteFile(f, []byte("no"), 0o644), os.Chmod(filepath.Dir(f), 0))
		},
		"its time set back": func(_ place, f string) error {
			info, err := os.Stat(f)
			return errors.Join(err, os.WriteFile(f, []byte("wrong"), 0o644), os.Chtimes(f, info.ModTime(), info.ModTime()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, keep.Options{})
			p.put(t, "d/f", "right")
			must(t, os.Chtimes(p.at("d/f"), fileTime, fileTime))
			before := describe(t, p.work)
			p.take(t, "a")
			must(t, harm(p, p.at("d/f")))
			p.own(t)
			if same(before, describe(t, p.work)) {
				t.Fatal("nothing was changed, so this shows nothing")
			}
			restored := p.restore(t, "a")
			if after := describe(t, p.work); !same(before, after) || len(restored.Missing) > 0 {
				t.Errorf("restored %v, missing %q, want %v", after, restored.Missing, before)
			}
		})
	}
}

func replace(p place, f string) error {
	return errors.Join(os.WriteFile(f+".tmp", []byte("other"), 0o600), os.Rename(f+".tmp", f))
}

// What a descriptor stands for is the file of the checkpoint, whatever the names
// were made to mean meanwhile.
func TestM40_DescriptorsStayRight(t *testing.T) {
	for name, harm := range map[string]func(p place, file string) error{
		"written over": func(_ place, f string) error { return os.WriteFile(f, []byte("XXXX"), 0o644) },
		"deleted":      func(_ place, f string) error { return os.Remove(f) },
		"replaced":     replace,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, keep.Options{})
			p.put(t, "f", "right")
			f, err := os.OpenFile(p.at("f"), os.O_RDWR, 0)
			must(t, err)
			defer f.Close()
			p.take(t, "a")
			must(t, harm(p, p.at("f")))
			p.own(t)
			p.restore(t, "a")
			got := make([]byte, 16)
			n, _ := f.ReadAt(got, 0)
			if string(got[:n]) != "right" {
				t.Errorf("the descriptor reads %q", got[:n])
			}
			_, err = f.WriteAt([]byte("R"), 0)
			must(t, err)
			if got := p.get(t, "f"); got != "Right" {
				t.Errorf("what it writes is not seen under the name: %q", got)
			}
		})
	}
}

// A directory that was only renamed is the same one afterwards.
func TestM40_ARenamedDirectoryComesBackAsItself(t *testing.T) {
	p := open(t, keep.Options{})
	p.put(t, "a/b/f", "right")
	p.put(t, "c/g", "too")
	in, err := os.Open(p.at("a/b"))
	must(t, err)
	defer in.Close()
	p.take(t, "x")
	must(t, os.Rename(p.at("a"), p.at("c/deep")))
	must(t, os.RemoveAll(p.at("c/g")))
	must(t, os.Rename(p.at("c"), p.at("z")))
	p.restore(t, "x")
	if names, err := in.Readdirnames(-1); err != nil || len(names) != 1 || names[0] != "f" {
		t.Errorf("the descriptor of the directory lists %q, %v", names, err)
	}
	if p.get(t, "a/b/f") != "right" || p.get(t, "c/g") != "too" {
		t.Errorf("files: %v", describe(t, p.work))
	}
}

func TestM40_AnUnknownCheckpointTouchesNothing(t *testing.T) {
	p := open(t, keep.Options{})
	p.put(t, "f", "right")
	p.take(t, "a")
	p.put(t, "f", "new")
	if _, err := p.Restore("b"); !errors.Is(err, keep.ErrUnknown) {
		t.Errorf("restore of an unknown one: %v", err)
	}
	if err := p.Drop("b"); !errors.Is(err, keep.ErrUnknown) {
		t.Errorf("drop of an unknown one: %v", err)
	}
	if _, err := p.Take("a", keep.Mapped{}); !errors.Is(err, unix.EEXIST) {
		t.Errorf("a second one of that name: %v", err)
	}
	if got := p.get(t, "f"); got != "new" {
		t.Errorf("the file has %q", got)
	}
}

// On this file system a mapping that was read first and written then moves no
// time of the file.
func TestM40_WritesThroughAMappingAreSeen(t *testing.T) {
	for name, processes := range map[string]func() ([]int, error){
		"maps can be read":    func() ([]int, error) { return []int{os.Getpid()}, nil },
		"maps cannot be read": func() ([]int, error) { return nil, errors.New("no") },
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, keep.Options{})
			p.processes = processes
			writeThroughMappings(t, p)
		})
	}
}

func writeThroughMappings(t *testing.T, p place) {
	p.put(t, "f", string(bytes.Repeat([]byte("a"), 8192)))
	p.take(t, "old")
	p.take(t, "older looks are over")
	scribble := func(with byte, unmap bool) {
		f, err := os.OpenFile(p.at("f"), os.O_RDWR, 0)
		must(t, err)
		defer f.Close()
		m, err := syscall.Mmap(int(f.Fd()), 0, 8192, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		must(t, err)
		if m[0]+m[4096] == 0 {
			t.Fatal("the file is empty")
		}
		m[0], m[4096] = with, with
		if unmap {
			must(t, syscall.Munmap(m))
			return
		}
		p.take(t, "mapped")
		m[0] = with + 1 // after the look, through a mapping that lives on
		p.take(t, "mapped on")
		m[0] = with + 2
		must(t, syscall.Munmap(m))
	}
	scribble('b', true)
	p.take(t, "b")
	scribble('c', false)
	p.take(t, "c")
	for id, want := range map[string]byte{"old": 'a', "b": 'b', "mapped": 'c', "mapped on": 'd', "c": 'e'} {
		p.restore(t, id)
		if got := p.get(t, "f"); got[0] != want {
			t.Errorf("%s has %q, want %q", id, got[0], want)
		}
	}
}
