package environment

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
)

// smallDisk names, in the child, the directory that gets a tiny file system.
const smallDisk = "CELLWALL_TEST_SMALL_DISK"

// A build on a full disk says so and leaves nothing. The file system is a
// tmpfs in a mount namespace of a child, which is gone with the child.
func TestFullDiskIsSaidAndLeavesNothing(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		buildOnFullDisk(t, dir)
		return
	}
	requireApt(t)
	cmd := exec.Command(must1(os.Executable()), "-test.run=^TestFullDiskIsSaidAndLeavesNothing$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{
			{HostID: os.Getuid(), Size: 1},
		}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	}
	out, err := cmd.CombinedOutput()
	if rule := forbidsNamespaces(); err != nil && len(out) == 0 && os.Geteuid() != 0 && rule != "" {
		t.Skipf("skip, proof: uid %d may make no user namespace: %v; rule of the host: %s", os.Geteuid(), err, rule)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

// forbidsNamespaces returns the host's rule that keeps an ordinary user from
// making a user namespace, "" when it has none.
func forbidsNamespaces() string {
	for rule, forbidding := range map[string]string{
		"/proc/sys/user/max_user_namespaces":                     "0",
		"/proc/sys/kernel/unprivileged_userns_clone":             "0",
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
	} {
		if text, err := os.ReadFile(rule); err == nil && strings.TrimSpace(string(text)) == forbidding {
			return rule + " = " + forbidding
		}
	}
	return ""
}

func buildOnFullDisk(t *testing.T, dir string) {
	must(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96k"))
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	// The cache is elsewhere, so that the root is what does not fit.
	s.Dir = filepath.Join(dir, "environments")
	must(t, os.MkdirAll(filepath.Join(s.Dir, "build"), 0o755))
	filler := make([]byte, 4<<10)
	for i := range 21 { // 12 KiB stay free, the root takes 40
		must(t, os.WriteFile(filepath.Join(dir, "filler"+string(rune('a'+i))), filler, 0o644))
	}
	_, err := s.Build(t.Context(), "tiny", m.options())
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(cellwall.HintOf(err), "is full") {
		t.Errorf("error is %v, hint %q", err, cellwall.HintOf(err))
	}
	if l := left(t, s); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}
