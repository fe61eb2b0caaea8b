package openat

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// prepared is a directory with traps in it, beside a file that no name may lead
// to. As root the directory is somebody else's.
func prepared(t *testing.T) (d *Dir, dir, secret string, uid int) {
	t.Helper()
	base := t.TempDir()
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	secret = filepath.Join(base, "secret")
	dir = filepath.Join(base, "work")
	uid = os.Geteuid()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(secret, []byte("kept"), 0o600))
	must(os.MkdirAll(filepath.Join(dir, "full", "x"), 0o755))
	must(os.Symlink(secret, filepath.Join(dir, "link")))
	must(os.Symlink(base, filepath.Join(dir, "out")))
	must(syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	if uid == 0 {
		uid = 4711
		must(filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, uid, uid))
		}))
	}
	f, err := os.Open(dir)
	must(err)
	defer f.Close()
	d = FS(int(f.Fd()))
	t.Cleanup(func() { d.Close() })
	return d, dir, secret, uid
}

func TestF21_AFileIsPutAsTheOwnerAndNowhereElse(t *testing.T) {
	d, dir, secret, uid := prepared(t)
	for _, test := range []struct {
		name string
		ok   bool
	}{
		{"a.csv", true},
		{"new/folder/a.csv", true},
		{"a.csv", true},
		{"link", true},
		{"fifo", true},
		{"names with 空 and \n", true},
		{"../secret", false},
		{"/etc/x", false},
		{"out/secret", false},
		{"out", true},
		{"full", false},
		{".", false},
		{"", false},
		{"a/./b", false},
		{"a.csv/b", false},
		{strings.Repeat("d/", 20) + "x", false},
		{"nul\x00", false},
	} {
		n, err := d.Put(test.name, strings.NewReader("data"), 4)
		if (err == nil) != test.ok {
			t.Errorf("%q: %v", test.name, err)
		}
		if err != nil {
			continue
		}
		at := filepath.Join(dir, test.name)
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() || n != 4 || info.Size() != 4 || int(info.Sys().(*syscall.Stat_t).Uid) != uid {
			t.Errorf("%q: %v, %v", test.name, info, err)
		}
	}
	if text, err := os.ReadFile(secret); string(text) != "kept" {
		t.Errorf("what is outside holds %q, %v", text, err)
	}
}

func TestF21_WhatIsTooLargeLeavesNothing(t *testing.T) {
	d, dir, _, _ := prepared(t)
	if _, err := d.Put("a.csv", strings.NewReader("old"), 3); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the client went away")
	for _, test := range []struct {
		in   interface{ Read([]byte) (int, error) }
		want error
	}{{strings.NewReader("12345"), ErrTooLarge}, {failing{broken}, broken}} {
		if _, err := d.Put("a.csv", test.in, 4); !errors.Is(err, test.want) {
			t.Errorf("%v, want %v", err, test.want)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "a.csv")); string(text) != "old" {
		t.Errorf("it holds %q", text)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".put*"))
	if len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestF21_RemovingFollowsNothing(t *testing.T) {
	d, dir, secret, _ := prepared(t)
	for _, row := range []struct {
		name string
		ok   bool
	}{
		{"link", true}, {"fifo", true}, {"full", false}, {"full/x", true}, {"out/secret", false}, {"../secret", false}, {"none", false}, {".", false},
	} { // in this order: what was full is empty in the end
		if err := d.Remove(row.name); (err == nil) != row.ok {
			t.Errorf("%q: %v", row.name, err)
		}
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "link")); err == nil {
		t.Error("the link is still there")
	}
}
