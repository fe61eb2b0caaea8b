package keep_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/keep"
	"github.com/cellwall/cellwall/linux/mount"
)

// Whatever a program does to its tree, and however often it goes back, each
// checkpoint is what the tree was, and so is what descriptors stand for.
func TestM40_AnyTreeComesBackAsItWas(t *testing.T) {
	testkit.RequireRoot(t)
	rapid.Check(t, anyTree)
}

func FuzzTree(f *testing.F) {
	testkit.RequireRoot(f)
	f.Fuzz(rapid.MakeFuzz(anyTree))
}

func anyTree(t *rapid.T) {
	tree, err := mount.Tmpfs(mount.TmpfsOptions{Bytes: 64 * mib, Inodes: 4000, Mode: 0o700, AccessTimes: true})
	must(t, err)
	defer tree.Close()
	for _, name := range []string{"work", "keep"} {
		must(t, mount.Mkdir(tree, name, 0o755, owner))
	}
	s, err := keep.Open(tree, keep.Options{Work: "work", Hidden: "keep", Bytes: 32 * mib, Inodes: 2000, Budget: 16 * mib})
	must(t, err)
	defer s.Close()
	root := fmt.Sprintf("/proc/self/fd/%d", tree.Fd())
	h := &history{place: place{Store: s, root: root, work: root + "/work"}, was: map[string]state{}}
	t.Repeat(map[string]func(*rapid.T){
		"write": h.write, "delete": h.delete, "move": h.move, "make": h.make, "shut": h.shut, "map": h.mmap,
		"take": h.take, "restore": h.restore, "drop": h.drop,
	})
	h.end(t)
}

// history is what one random program did so far.
type history struct {
	place
	taken int
	was   map[string]state
}

// state is what a checkpoint has to bring back.
type state struct {
	tree map[string]string
	open []*os.File
	text []string
}

var (
	names = rapid.SampledFrom([]string{"a", "b", "c\n\xff"})
	paths = rapid.Custom(func(t *rapid.T) string {
		return filepath.Join(rapid.SliceOfN(names, 1, 3).Draw(t, "path")...)
	})
)

func (h *history) write(t *rapid.T) {
	flags := os.O_RDWR | os.O_CREATE
	if rapid.Bool().Draw(t, "anew") {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(h.at(paths.Draw(t, "file")), flags|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	text := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "text")
	_, _ = f.WriteAt(text, rapid.SampledFrom([]int64{0, 3, 4096, 20_000}).Draw(t, "at"))
	if rapid.Bool().Draw(t, "cut") {
		_ = f.Truncate(rapid.SampledFrom([]int64{0, 2, 5000, 100_000}).Draw(t, "size"))
	}
}

func (h *history) delete(t *rapid.T) {
	gone := h.at(paths.Draw(t, "gone"))
	if above, err := os.Lstat(filepath.Dir(gone)); err == nil && above.IsDir() { // it would wait for a FIFO's writer
		_ = os.RemoveAll(gone)
	}
}

func (h *history) move(t *rapid.T) {
	_ = unix.Renameat2(unix.AT_FDCWD, h.at(paths.Draw(t, "from")), unix.AT_FDCWD, h.at(paths.Draw(t, "to")),
		rapid.SampledFrom([]uint{0, unix.RENAME_EXCHANGE}).Draw(t, "how"))
}

func (h *history) make(t *rapid.T) {
	at := h.at(paths.Draw(t, "new"))
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0, 1:
		_ = os.Mkdir(at, 0o755)
	case 2:
		_ = os.Symlink("nowhere/else", at)
	case 3:
		_ = unix.Mkfifo(at, 0o600)
	case 4:
		_ = os.Link(h.at(paths.Draw(t, "of")), at)
	}
}

func (h *history) shut(t *rapid.T) {
	_ = unix.Fchmodat(unix.AT_FDCWD, h.at(paths.Draw(t, "name")), rapid.SampledFrom([]uint32{0, 0o444, 0o700}).Draw(t, "mode"), 0)
}

// mmap reads a file through a mapping and then writes to it.
func (h *history) mmap(t *rapid.T) {
	f, err := os.OpenFile(h.at(paths.Draw(t, "file")), os.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	m, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err)
	m[0]++
	must(t, unix.Munmap(m))
}

func (h *history) take(t *rapid.T) {
	h.own(t)
	h.taken++
	id := fmt.Sprint(h.taken)
	was := state{tree: describe(t, h.work)}
	for name := range was.tree {
		f, err := os.OpenFile(h.at(name), os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || len(was.open) > 2 {
			f.Close()
			continue
		}
		was.open, was.text = append(was.open, f), append(was.text, brief(whole(t, f)))
	}
	taken, err := h.Take(id, keep.Mapped{})
	must(t, err)
	if !taken.Complete || len(taken.Changed)+len(taken.Over)+len(taken.Stripped) > 0 {
		t.Fatalf("taken: %+v", taken)
	}
	h.was[id] = was
	if now := describe(t, h.work); !same(was.tree, now) {
		t.Fatalf("taking it changed %v to %v", was.tree, now)
	}
}

func whole(t *rapid.T, f *os.File) []byte {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	must(t, err)
	return text
}

func (h *history) restore(t *rapid.T) {
	if h.taken == 0 {
		return
	}
	h.own(t)
	id := fmt.Sprint(rapid.IntRange(1, h.taken).Draw(t, "to"))
	was, kept := h.was[id]
	restored, err := h.Restore(id)
	if !kept {
		if !errors.Is(err, keep.ErrUnknown) {
			t.Fatalf("restore of a dropped one: %v", err)
		}
		return
	}
	must(t, err)
	if now := describe(t, h.work); len(restored.Missing) > 0 || !same(was.tree, now) {
		t.Fatalf("restored %v, missing %q, want %v", now, restored.Missing, was.tree)
	}
	for n, f := range was.open {
		if got := brief(whole(t, f)); got != was.text[n] {
			t.Fatalf("a descriptor reads %q, want %q", got, was.text[n])
		}
	}
}

func (h *history) drop(t *rapid.T) {
	for id := range h.was {
		must(t, h.Drop(id))
		h.close(id)
		return
	}
}

func (h *history) close(id string) {
	for _, f := range h.was[id].open {
		f.Close()
	}
	delete(h.was, id)
}

func (h *history) end(t *rapid.T) {
	if used := h.Used(); used > 16*mib {
		t.Errorf("%d bytes are kept", used)
	}
	for len(h.was) > 0 {
		h.drop(t)
	}
	names, err := os.ReadDir(h.root + "/keep")
	must(t, err)
	if h.Used() != 0 || len(names) != 1 {
		t.Errorf("without checkpoints %d bytes and %d names are kept", h.Used(), len(names))
	}
}
