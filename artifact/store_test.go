package artifact

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
)

func openStore(t *testing.T) (string, *Store) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state", "artifacts")
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return dir, s
}

func put(t *testing.T, s *Store, name, content string) cellwall.Artifact {
	t.Helper()
	stored, err := s.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return cellwall.Artifact{Name: name, Bytes: stored.Bytes, SHA256: stored.SHA256}
}

func files(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestM14_ContentIsKeptOnceUnderItsHash(t *testing.T) {
	dir, s := openStore(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.Put(context.Background(), strings.NewReader("hello")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	a := put(t, s, "x", "hello")
	if a.SHA256 != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" || files(t, dir) != 1 {
		t.Fatalf("%s, %d files", a.SHA256, files(t, dir))
	}
	f, err := s.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := io.ReadAll(f); string(b) != "hello" {
		t.Errorf("content is %q", b)
	}
}

func TestM14_NothingIsLeftOfContentThatFails(t *testing.T) {
	dir, s := openStore(t)
	why := refusal("table has more rows")
	_, err := s.Put(t.Context(), io.MultiReader(strings.NewReader("half"), failing{why}))
	var got refusal
	if !errors.As(err, &got) || got != why {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if n := files(t, dir); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestStoreTellsWhatItDoesNotHave(t *testing.T) {
	dir, s := openStore(t)
	a := put(t, s, "x", "hello")
	for name, c := range map[string]struct {
		a    cellwall.Artifact
		code cellwall.ErrorCode
	}{
		"unknown":    {cellwall.Artifact{SHA256: strings.Repeat("0", 64)}, cellwall.CodeNotFound},
		"no hash":    {cellwall.Artifact{SHA256: "../../etc/passwd"}, cellwall.CodeBadRequest},
		"upper case": {cellwall.Artifact{SHA256: strings.ToUpper(a.SHA256), Bytes: 5}, cellwall.CodeBadRequest},
		"other size": {cellwall.Artifact{SHA256: a.SHA256, Bytes: 6}, cellwall.CodeNotFound},
	} {
		if f, err := s.Open(c.a); cellwall.CodeOf(err) != c.code {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, a.SHA256), 2); err != nil {
		t.Fatal(err)
	}
	put(t, s, "x", "hello") // damaged content is replaced
	if f, err := s.Open(a); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
}

func TestF18_CopyToNeverLeavesTheDirectory(t *testing.T) {
	_, s := openStore(t)
	out, outside := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "victim.txt")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(victim, []byte("untouched"), 0o600))
	check(os.Symlink(victim, filepath.Join(out, "link.txt")))
	check(os.Symlink(outside, filepath.Join(out, "folder")))
	check(os.Mkdir(filepath.Join(out, "taken"), 0o700))
	a := put(t, s, "图表/销售 明细.csv", "数\n")

	got, err := s.CopyTo(t.Context(), out, a)
	check(err)
	if b, _ := os.ReadFile(got); string(b) != "数\n" || got != out+"/图表/销售 明细.csv" {
		t.Errorf("%s holds %q", got, b)
	}
	_, err = s.CopyTo(t.Context(), out, a) // again: replaced
	check(err)
	for _, name := range []string{"../victim.txt", "/etc/x", "a/../../x", ".", "", "folder/victim.txt", "taken", "a\x00b", "a\nb"} {
		a.Name = name
		if p, err := s.CopyTo(t.Context(), out, a); err == nil {
			t.Errorf("%q was copied to %s", name, p)
		}
	}
	a.Name = "link.txt" // the link goes, what it pointed at stays
	p, err := s.CopyTo(t.Context(), out, a)
	check(err)
	if info, err := os.Lstat(p); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	if b, _ := os.ReadFile(victim); string(b) != "untouched" {
		t.Errorf("victim holds %q", b)
	}
	if n := files(t, outside); n != 1 {
		t.Errorf("%d files outside", n)
	}
	left, _ := filepath.Glob(filepath.Join(out, "*", ".cellwall-*"))
	here, _ := filepath.Glob(filepath.Join(out, ".cellwall-*"))
	if len(left)+len(here) > 0 {
		t.Errorf("left over: %v %v", left, here)
	}
}
