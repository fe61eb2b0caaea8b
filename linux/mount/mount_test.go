package mount

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
)

// A host whose mounts are shared, as most hosts' are, must not see what is
// mounted on a clone.
func TestClone_WhatIsMountedOnItStaysOffTheOriginal(t *testing.T) {
	testkit.RequireRoot(t)
	testkit.RunInSubprocess(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, func(t *testing.T) {
		original, place := t.TempDir(), t.TempDir()
		for _, dir := range []string{original, filepath.Join(original, "below")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
			t.Fatal(err)
		}
		clone, err := Clone(original)
		if err != nil {
			t.Fatal(err)
		}
		defer clone.Close()
		memory, err := Tmpfs(TmpfsOptions{Mode: 0o755})
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		t.Cleanup(func() { _ = unix.Unmount(place, unix.MNT_DETACH) }) // before the directories go
		if err := Attach(clone, place); err != nil {
			t.Fatal(err)
		}
		if err := Attach(memory, filepath.Join(place, "below")); err != nil {
			t.Fatal(err)
		}
		table, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(table), filepath.Join(place, "below")) {
			t.Fatal("nothing is mounted on the clone, so this shows nothing")
		}
		if strings.Contains(string(table), filepath.Join(original, "below")) {
			t.Errorf("the original has the mount as well:\n%s", table)
		}
	})
}

// Cloning what is attached works on every kernel; what is not, from 6.15 on.
func TestCloneOf_WritesWhatAReadOnlyViewShows(t *testing.T) {
	testkit.RequireRoot(t)
	testkit.RunInSubprocess(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, func(t *testing.T) {
		if err := MakePrivate(); err != nil {
			t.Fatal(err)
		}
		place := t.TempDir()
		view, err := Tmpfs(TmpfsOptions{Mode: 0o755})
		if err != nil {
			t.Fatal(err)
		}
		defer view.Close()
		t.Cleanup(func() { _ = unix.Unmount(place, unix.MNT_DETACH) }) // before the directory goes
		if err := Attach(view, place); err != nil {
			t.Fatal(err)
		}
		writer, err := CloneOf(view)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		if err := SetAttributes(view, ReadOnly); err != nil {
			t.Fatal(err)
		}
		file, err := Create(writer, "data", 0o444)
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		if _, err := os.Stat(filepath.Join(place, "data")); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(place, "more"), nil, 0o644); !errors.Is(err, syscall.EROFS) {
			t.Errorf("writing through the view: %v, want EROFS", err)
		}
	})
}

func TestBelow_MountsADirectoryOfAnAttachedTree(t *testing.T) {
	testkit.RequireRoot(t)
	testkit.RunInSubprocess(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, func(t *testing.T) {
		if err := MakePrivate(); err != nil {
			t.Fatal(err)
		}
		place := t.TempDir()
		tree, err := Tmpfs(TmpfsOptions{Mode: 0o755})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		t.Cleanup(func() { // before the directory goes
			_ = unix.Unmount(place, unix.MNT_DETACH)
			_ = unix.Unmount(place, unix.MNT_DETACH)
		})
		if err := errors.Join(Attach(tree, place), Mkdir(tree, "inner", 0o755, 0)); err != nil {
			t.Fatal(err)
		}
		inner, err := Below(tree, "inner")
		if err != nil {
			t.Fatal(err)
		}
		defer inner.Close()
		if err := errors.Join(Attach(inner, place), os.WriteFile(filepath.Join(place, "file"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		var s unix.Stat_t
		if err := unix.Fstatat(int(tree.Fd()), "inner/file", &s, 0); err != nil {
			t.Errorf("what was written above is not in the directory: %v", err)
		}
	})
}
