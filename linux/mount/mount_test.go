package mount

import (
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
