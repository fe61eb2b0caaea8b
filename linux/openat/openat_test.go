package openat_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/openat"
)

// hostile is a directory with one of everything, and a secret beside it.
func hostile(t *testing.T) (*openat.Dir, string) {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "output")
	must(t, os.WriteFile(filepath.Join(base, "secret"), []byte("SECRET"), 0o600))
	must(t, os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "plain.csv"), []byte("a,b\n1,2\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "sub", "deep", "x.txt"), []byte("x"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "bad\xff\xfename\n"), []byte("raw"), 0o644))
	must(t, os.Symlink(filepath.Join(base, "secret"), filepath.Join(dir, "absolute")))
	must(t, os.Symlink("../secret", filepath.Join(dir, "relative")))
	must(t, os.Symlink("plain.csv", filepath.Join(dir, "inside")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	must(t, os.Symlink("..", filepath.Join(dir, "up")))
	must(t, os.Symlink("/proc/self/root", filepath.Join(dir, "magic")))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	must(t, os.Link(filepath.Join(dir, "plain.csv"), filepath.Join(dir, "twin")))
	l, err := net.Listen("unix", filepath.Join(dir, "sock"))
	must(t, err)
	t.Cleanup(func() { l.Close() })
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	must(t, err)
	d := openat.FS(fd)
	must(t, unix.Close(fd)) // the Dir has its own copy
	t.Cleanup(func() { d.Close() })
	return d, dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenGivesRegularFilesWithRawNames(t *testing.T) {
	d, _ := hostile(t)
	for name, want := range map[string]string{
		"plain.csv": "a,b\n1,2\n", "sub/deep/x.txt": "x", "bad\xff\xfename\n": "raw", "twin": "a,b\n1,2\n",
	} {
		f, err := d.Open(name)
		if err != nil {
			t.Errorf("open %q: %v", name, err)
			continue
		}
		got, err := io.ReadAll(f)
		f.Close()
		if err != nil || string(got) != want {
			t.Errorf("read %q = %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestOpenNamesTheKindOfWhatItRefuses(t *testing.T) {
	d, dir := hostile(t)
	if err := unix.Mknod(filepath.Join(dir, "zero"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err == nil {
		refuses(t, d, "zero", "character device")
	} else {
		t.Logf("not measured: a character device; mknod as uid %d: %v", os.Geteuid(), err)
	}
	for name, kind := range map[string]string{
		"absolute": "symbolic link", "relative": "symbolic link", "inside": "symbolic link",
		"dangling": "symbolic link", "loop": "symbolic link", "up": "symbolic link", "magic": "symbolic link",
		"up/secret": "symbolic link", "magic/etc/passwd": "symbolic link", "loop/x": "symbolic link",
		"fifo": "FIFO", "sock": "socket",
	} {
		refuses(t, d, name, kind)
	}
}

func refuses(t *testing.T, d *openat.Dir, name, kind string) {
	t.Helper()
	start := time.Now()
	f, err := d.Open(name)
	if err == nil {
		f.Close()
		t.Errorf("open %q succeeded", name)
		return
	}
	var k *openat.KindError
	if !errors.As(err, &k) || k.Kind() != kind || !strings.Contains(err.Error(), kind) {
		t.Errorf("open %q: %v; want kind %q", name, err, kind)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("open %q hung for %v", name, took)
	}
}

func TestOpenRefusesNamesThatAreNoPathBelow(t *testing.T) {
	d, _ := hostile(t)
	for _, name := range []string{
		"", "/", "/etc/passwd", "..", "../secret", "sub/../plain.csv", "./plain.csv", "sub//deep", "sub/",
		"plain.csv\x00", "sub/../../secret",
	} {
		if f, err := d.Open(name); err == nil {
			f.Close()
			t.Errorf("open %q succeeded", name)
		} else if !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %q: %v; want fs.ErrInvalid", name, err)
		}
	}
	if _, err := d.Open("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open missing: %v", err)
	}
	if _, err := d.Open("plain.csv/x"); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("open below a file: %v", err)
	}
}

func TestStatDoesNotFollowLinks(t *testing.T) {
	d, _ := hostile(t)
	for name, want := range map[string]fs.FileMode{
		"absolute": fs.ModeSymlink, "magic": fs.ModeSymlink, "fifo": fs.ModeNamedPipe,
		"sock": fs.ModeSocket, "plain.csv": 0, "sub": fs.ModeDir, ".": fs.ModeDir,
	} {
		info, err := d.Stat(name)
		if err != nil || info.Mode().Type() != want {
			t.Errorf("stat %q = %v, %v; want %v", name, info, err, want)
		}
	}
	info, err := d.Stat("twin")
	must(t, err)
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink != 2 || st.Size != 8 || info.Size() != 8 || info.Name() != "twin" {
		t.Errorf("stat twin: %+v", info.Sys())
	}
}

func TestDiscountLeavesOutALinkThatIsHeldElsewhere(t *testing.T) {
	d, dir := hostile(t)
	links := func(name string) (all []uint64) {
		f, err := d.Open(name)
		must(t, err)
		defer f.Close()
		opened, err := f.Stat()
		must(t, err)
		looked, err := d.Stat(name)
		must(t, err)
		entries, err := d.ReadDir(".")
		must(t, err)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && e.Name() == name {
				all = append(all, uint64(info.Sys().(*syscall.Stat_t).Nlink))
			}
		}
		return append(all, uint64(opened.Sys().(*syscall.Stat_t).Nlink), uint64(looked.Sys().(*syscall.Stat_t).Nlink))
	}
	if got := links("twin"); !slices.Equal(got, []uint64{2, 2, 2}) {
		t.Errorf("links: %v", got)
	}
	var st unix.Stat_t
	must(t, unix.Stat(filepath.Join(dir, "twin"), &st))
	d.Discount(func(ino uint64) bool { return ino == st.Ino })
	if got := links("twin"); !slices.Equal(got, []uint64{1, 1, 1}) {
		t.Errorf("links without the one that is held: %v", got)
	}
	if got := links("sub"); got[0] < 3 {
		t.Errorf("links of a directory: %v", got)
	}
	d.Discount(func(uint64) bool { return true })
	must(t, os.Remove(filepath.Join(dir, "twin")))
	if got := links("plain.csv"); !slices.Equal(got, []uint64{1, 1, 1}) {
		t.Errorf("the only link of a file: %v", got)
	}
}

func TestReadDirShowsEveryNameOnce(t *testing.T) {
	d, dir := hostile(t)
	want, err := os.ReadDir(dir)
	must(t, err)
	got, err := d.ReadDir(".")
	must(t, err)
	if len(got) != len(want) {
		t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Name() != want[i].Name() || got[i].Type() != want[i].Type() {
			t.Errorf("entry %d = %v, want %v", i, got[i], want[i])
		}
	}
}

func TestReadDirIsBounded(t *testing.T) {
	d, dir := hostile(t)
	many := filepath.Join(dir, "many")
	must(t, os.Mkdir(many, 0o755))
	for i := range 1500 {
		must(t, os.WriteFile(filepath.Join(many, fmt.Sprint("f", i)), nil, 0o644))
	}
	if got, err := d.ReadDirN("many", 1000); len(got) != 1000 || !errors.Is(err, openat.ErrTooMany) {
		t.Errorf("ReadDirN 1000 of 1500 = %d, %v", len(got), err)
	}
	if got, err := d.ReadDirN("many", 1500); len(got) != 1500 || err != nil {
		t.Errorf("ReadDirN 1500 of 1500 = %d, %v", len(got), err)
	}
	f, err := d.Open("many")
	must(t, err)
	defer f.Close()
	stream, seen := f.(fs.ReadDirFile), 0
	for {
		some, err := stream.ReadDir(100)
		seen += len(some)
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if len(some) > 100 || len(some) == 0 {
			t.Fatalf("portion of %d", len(some))
		}
	}
	if seen != 1500 {
		t.Errorf("streamed %d of 1500", seen)
	}
	if _, err := d.ReadDirN("plain.csv", 1); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("ReadDirN of a file: %v", err)
	}
}

func TestWalkDirEndsAndStaysInside(t *testing.T) {
	d, _ := hostile(t)
	seen := 0
	err := fs.WalkDir(d, ".", func(path string, e fs.DirEntry, err error) error {
		seen++
		return err
	})
	if err != nil || seen < 14 {
		t.Errorf("walk saw %d, %v", seen, err)
	}
}

func TestOpenRefusesWhatIsMountedInside(t *testing.T) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	d := openat.FS(fd)
	defer d.Close()
	var root, proc unix.Stat_t
	must(t, unix.Stat("/", &root))
	must(t, unix.Stat("/proc", &proc))
	if root.Dev == proc.Dev {
		t.Skipf("skip, proof: /proc is not a mount of its own here: device %d for both", root.Dev)
	}
	if f, err := d.Open("proc/version"); !errors.Is(err, openat.ErrOutside) {
		if err == nil {
			f.Close()
		}
		t.Errorf("open across a mount: %v", err)
	}
}

func TestFSOfABadDescriptorSaysSo(t *testing.T) {
	d := openat.FS(-1)
	if _, err := d.Open("x"); !errors.Is(err, unix.EBADF) {
		t.Errorf("open: %v", err)
	}
	if _, err := d.Stat("."); !errors.Is(err, unix.EBADF) {
		t.Errorf("stat: %v", err)
	}
	must(t, d.Close())
}

func TestCloseClosesTheCopyOnly(t *testing.T) {
	d, _ := hostile(t)
	f, err := d.Open("plain.csv")
	must(t, err)
	must(t, d.Close())
	if _, err := d.Open("plain.csv"); err == nil {
		t.Error("open after Close succeeded")
	}
	if got, err := io.ReadAll(f); err != nil || len(got) != 8 {
		t.Errorf("a file opened before Close reads %q, %v", got, err)
	}
	f.Close()
}
