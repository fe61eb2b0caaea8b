package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM14_WhatIsTaken(t *testing.T) {
	h := collect(t, mapFS(map[string]string{
		"图表/销售 明细.csv": "数,值\n1,2\n", "note.txt": "hello", "-leading.md": "# a", "back\\slash.txt": "x", "trailing .txt ": "x",
		"e\u0301.txt": "NFD", "\u00e9.txt": "NFC", strings.Repeat("n", 251) + ".txt": "long",
	}), Limits{})
	want := []string{
		"-leading.md", "back\\slash.txt", "e\u0301.txt", strings.Repeat("n", 251) + ".txt", "note.txt", "trailing .txt ", "\u00e9.txt", "图表/销售 明细.csv",
	}
	if got := names(h.Artifacts); !slices.Equal(got, want) || len(h.Skipped) != 0 {
		t.Fatalf("took %q, skipped %v", got, h.Skipped)
	}
	a := h.Artifacts[4]
	if !cellwall.ValidID(cellwall.PrefixArtifact, a.ID) || a.Path != a.Name || a.Bytes != 5 || a.Type != "text" || a.MediaType != "text/plain" ||
		a.SHA256 != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Errorf("artifact is %+v", a)
	}
}

func TestM14_AnEmptyHarvestIsAListNotNull(t *testing.T) {
	if h := collect(t, mapFS(nil), Limits{}); h.Artifacts == nil || h.Skipped == nil {
		t.Errorf("harvest is %#v", h)
	}
}

// The real things, on a real file system: none is followed, read or waited for.
func TestF15_F16_F19_F20_F25_OnlyPlainFilesOfOneNameAreTaken(t *testing.T) {
	dir, fsys := realTree(t)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	put := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put(os.WriteFile(secret, []byte("host data"), 0o600))
	at := func(name string) string { return filepath.Join(dir, name) }
	put(os.WriteFile(at("good.txt"), []byte("good"), 0o600))
	for name, goal := range map[string]string{
		"link.txt": secret, "passwd.txt": "/etc/passwd", "dir.txt": "/etc", "dangling.txt": "nowhere", "loop.txt": "loop.txt",
		"zero.txt": "/dev/zero", "inside.txt": "good.txt", "self.txt": "/proc/self/environ",
	} {
		put(os.Symlink(goal, at(name)))
	}
	put(syscall.Mkfifo(at("fifo.txt"), 0o600))
	put(os.WriteFile(at("twin.txt"), []byte("twin"), 0o600))
	put(os.Link(at("twin.txt"), at("twin2.txt")))
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	put(err)
	defer syscall.Close(socket)
	put(syscall.Bind(socket, &syscall.SockaddrUnix{Name: at("s.txt")}))
	put(os.WriteFile(at("sparse.csv"), []byte("a,b\n1,2\n"), 0o600))
	if err := os.Truncate(at("sparse.csv"), 1<<40); err != nil { // 1 TiB: the most that ext4 and tmpfs both take
		t.Fatal(err)
	}
	put(os.WriteFile(at("holes.csv"), []byte(strings.Repeat("a,b\n", 1000)), 0o600))
	put(os.Truncate(at("holes.csv"), 1<<20))

	h := collect(t, fsys, Limits{})
	if got := names(h.Artifacts); !slices.Equal(got, []string{"good.txt"}) {
		t.Errorf("took %q", got)
	}
	for name, part := range map[string]string{
		"link.txt": "symlink", "passwd.txt": "symlink", "dir.txt": "symlink", "dangling.txt": "symlink", "loop.txt": "symlink",
		"zero.txt": "symlink", "inside.txt": "symlink", "self.txt": "symlink", "fifo.txt": "fifo", "s.txt": "socket",
		"twin.txt": "hard link", "twin2.txt": "hard link", "sparse.csv": "1024 GiB", "holes.csv": "binary data",
	} {
		if got := reasonFor(h, name); !strings.Contains(got, part) {
			t.Errorf("%s: reason %q, want %q in it", name, got, part)
		}
	}
}

func TestF21_F22_OddNamesAreListedWithoutLoss(t *testing.T) {
	fsys := evil{
		"a\nb.txt": text("x"), "esc\x1b[2J.txt": text("x"), "\xff\xfe.txt": text("x"), "rtl\u202etxt.exe": text("x"),
		"zero\u200bwidth.txt": text("x"), "dir\r/inside.txt": text("x"), "good.txt": text("x"), ".bashrc": text("x"), ".git/config": text("x"),
	}
	h := collect(t, fsys, Limits{})
	if got := names(h.Artifacts); !slices.Equal(got, []string{"good.txt"}) {
		t.Errorf("took %q", got)
	}
	for _, name := range []string{
		`a\u000ab.txt`, `esc\u001b[2J.txt`, `\xff\xfe.txt`, `rtl\u202etxt.exe`, `zero\u200bwidth.txt`, `dir\u000d/inside.txt`,
	} {
		if got := reasonFor(h, name); got != "name is not printable UTF-8" {
			t.Errorf("%s: reason %q; skipped %v", name, got, h.Skipped)
		}
	}
	for _, name := range []string{".bashrc", ".git/config"} {
		if got := reasonFor(h, name); !strings.Contains(got, "hidden") {
			t.Errorf("%s: reason %q", name, got)
		}
	}
}

func TestF24_AFloodOfNamesIsBounded(t *testing.T) {
	fsys := evil{}
	for i := range 30_000 {
		fsys[fmt.Sprintf("d/%06d.txt", i)] = text("")
	}
	h := collect(t, fsys, Limits{Count: 3})
	if len(h.Artifacts) != 3 || len(h.Skipped) != maxSkipped+1 {
		t.Fatalf("%d artifacts, %d skipped", len(h.Artifacts), len(h.Skipped))
	}
	last := h.Skipped[len(h.Skipped)-1]
	if last.Name != "…" || !strings.HasPrefix(last.Reason, "and ") {
		t.Errorf("the rest is told as %+v", last)
	}
}

func TestF23_DepthIsBounded(t *testing.T) {
	h := collect(t, evil{strings.Repeat("d/", 1000) + "f.txt": text("x"), strings.Repeat("e/", 20) + "f.txt": text("x")}, Limits{})
	if len(h.Artifacts) != 1 || len(h.Skipped) != 1 || !strings.Contains(h.Skipped[0].Reason, "deeper than 32") {
		t.Errorf("took %q, skipped %v", names(h.Artifacts), h.Skipped)
	}
}

func TestF26_FilesThatLieAboutTheirSizeAreRefused(t *testing.T) {
	h := collect(t, evil{
		"grew.txt":    {data: []byte("more than it said"), size: 4},
		"shrank.txt":  {data: []byte("less"), size: 4000},
		"huge.txt":    {data: []byte("x"), size: math.MaxInt64},
		"turned.txt":  {data: []byte("x"), size: 1, mode: fs.ModeDevice},
		"closed.txt":  {fail: fs.ErrPermission, size: 1},
		"swapped.txt": {data: []byte("x"), size: 1, opened: &lie{data: []byte("x"), size: 1, mode: fs.ModeSymlink}},
		"linked.txt":  {data: []byte("x"), size: 1, opened: &lie{data: []byte("x"), size: 1, link: 2}},
		"honest.txt":  text("x"),
	}, Limits{})
	if got := names(h.Artifacts); !slices.Equal(got, []string{"honest.txt"}) {
		t.Errorf("took %q", got)
	}
	for name, part := range map[string]string{
		"grew.txt": "grew", "shrank.txt": "shrank", "huge.txt": "are more than", "turned.txt": "device", "swapped.txt": "symlink", "linked.txt": "hard link", "closed.txt": "cannot be opened",
	} {
		if got := reasonFor(h, name); !strings.Contains(got, part) {
			t.Errorf("%s: reason %q, want %q", name, got, part)
		}
	}
}

func TestO116_Caps(t *testing.T) {
	fsys := evil{}
	for i := range 10 {
		fsys[fmt.Sprintf("%d.txt", i)] = text(strings.Repeat("x", 10))
	}
	fsys["big.txt"] = text(strings.Repeat("x", 11))
	h := collect(t, fsys, Limits{Count: 4, Bytes: 10, TotalBytes: 1000})
	if got := names(h.Artifacts); !slices.Equal(got, []string{"0.txt", "1.txt", "2.txt", "3.txt"}) {
		t.Errorf("count: took %q", got)
	}
	if got := reasonFor(h, "9.txt"); got != "more than 4 artifacts" {
		t.Errorf("count: reason %q", got)
	}
	if got := reasonFor(h, "big.txt"); !strings.HasPrefix(got, "11 bytes are more than the 10") {
		t.Errorf("size: reason %q", got)
	}
	h = collect(t, fsys, Limits{TotalBytes: 35})
	if got := names(h.Artifacts); len(got) != 3 {
		t.Errorf("total: took %q", got)
	}
}

// A crowded folder takes nothing from the files beside it, wherever their names
// stand.
func TestO116_FilesComeBeforeFolders(t *testing.T) {
	fsys := evil{"z.txt": text("plain"), "b/y.txt": text("below"), "b/c/1.txt": text("deep")}
	for i := range 70 {
		fsys[fmt.Sprintf("a/%02d.txt", i)] = text("x")
	}
	h := collect(t, fsys, Limits{Count: 64})
	if got := names(h.Artifacts); len(got) != 64 || got[0] != "z.txt" || got[1] != "a/00.txt" {
		t.Errorf("took %d: %q", len(got), got[:min(3, len(got))])
	}
	for i := range 70 {
		delete(fsys, fmt.Sprintf("a/%02d.txt", i))
	}
	if got := names(collect(t, fsys, Limits{}).Artifacts); !slices.Equal(got, []string{"z.txt", "b/y.txt", "b/c/1.txt"}) {
		t.Errorf("took %q", got)
	}
}

// Refused files are not read without end either.
func TestF25_WhatIsReadForNothingIsBounded(t *testing.T) {
	fsys := evil{}
	dump := "a,b\n" + strings.Repeat("1,2\n", 100)
	for i := range 200 {
		fsys[fmt.Sprintf("%03d.csv", i)] = text(dump)
	}
	h := collect(t, fsys, Limits{Rows: 50, TotalBytes: 1000})
	rows := 0
	for _, s := range h.Skipped {
		if strings.HasPrefix(s.Reason, "table has") {
			rows++
		}
	}
	if len(h.Artifacts) != 0 || rows == 0 || rows > 6 {
		t.Errorf("%d artifacts, %d read and refused", len(h.Artifacts), rows)
	}
}

func TestO124_TracesOfToolsArePassedOver(t *testing.T) {
	h := collect(t, mapFS(map[string]string{
		"__pycache__/a.pyc": "x", "b.pyc": "x", ".ipynb_checkpoints/c.txt": "x", "core": "x", "core.123": "x", "hs_err_pid1.log": "x",
		".matplotlib/d.txt": "x", "core.txt": "kept", "score": "kept",
	}), Limits{})
	if got := names(h.Artifacts); !slices.Equal(got, []string{"core.txt", "score"}) || len(h.Skipped) != 0 {
		t.Errorf("took %q, skipped %v", got, h.Skipped)
	}
}

type brokenSink struct{}

func (brokenSink) Put(context.Context, io.Reader) (Stored, error) {
	return Stored{}, errors.New("disk is gone")
}

func TestHarvestFailsForTheContextAndTheSinkOnly(t *testing.T) {
	files := mapFS(map[string]string{"a.txt": "x"})
	if _, err := Harvest(t.Context(), files, Limits{}, brokenSink{}); cellwall.CodeOf(err) != cellwall.CodeInternal || !strings.Contains(err.Error(), "disk is gone") {
		t.Errorf("sink: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Harvest(ctx, files, Limits{}, &memory{}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: %v", err)
	}
	h, err := Harvest(t.Context(), evil{"a.txt": {fail: fs.ErrPermission, size: 1}}, Limits{}, &memory{})
	if err != nil || len(h.Skipped) != 1 {
		t.Errorf("file: %v, %v", h, err)
	}
}

func FuzzHarvest(f *testing.F) {
	f.Add("a.txt", []byte("x"), int64(1), uint32(0), "d/b.csv", []byte("a,b\n1,2\n"), int64(8))
	f.Add("a\x00/../b", []byte("\x89PNG"), int64(-1), uint32(fs.ModeSymlink), "..", []byte("{"), int64(9))
	f.Fuzz(func(t *testing.T, n1 string, d1 []byte, s1 int64, mode uint32, n2 string, d2 []byte, s2 int64) {
		fsys := evil{n1: {data: d1, size: s1, mode: fs.FileMode(mode)}, n2: {data: d2, size: s2}}
		limits := Limits{Bytes: 1000, TotalBytes: 1500, Count: 1, Rows: 3}
		sink := &memory{}
		h, err := Harvest(t.Context(), fsys, limits, sink)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Artifacts) > 1 {
			t.Fatalf("took %d", len(h.Artifacts))
		}
		for _, a := range h.Artifacts {
			if !fs.ValidPath(a.Name) || !printable(a.Name) || a.Bytes > 1000 || words[a.MediaType] == "" {
				t.Fatalf("took %+v", a)
			}
			l := fsys[a.Name]
			if l == nil || !l.mode.IsRegular() || !bytes.Equal(l.data, sink.kept[a.SHA256]) {
				t.Fatalf("%q is not what was taken", a.Name)
			}
		}
		for _, s := range h.Skipped {
			if !printable(s.Name) || s.Reason == "" {
				t.Fatalf("skipped %+v", s)
			}
		}
	})
}
