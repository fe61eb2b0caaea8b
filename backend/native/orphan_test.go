package native_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// orphanVariable makes this test be the controller that dies.
const orphanVariable = "CELLWALL_TEST_ORPHAN"

// A controller that is killed takes its warden along, and with it everything
// behind its walls, even when the warden stands still and hears nothing. The
// groups go with the next start, also when that is another directory's.
func TestM49_AStoppedWardenDiesWithItsController(t *testing.T) {
	testkit.RequireRoot(t)
	if os.Getenv(orphanVariable) != "" {
		dieWithStoppedWarden(t)
	}
	place := t.TempDir()
	openPath(t, place)
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), orphanVariable+"=1", "TMPDIR="+place)
	out, err := cmd.Output()
	if err == nil {
		t.Fatal("the controller did not die")
	}
	_, rest, found := strings.Cut(string(out), "warden ")
	var pid int
	var instance string
	if _, err := fmt.Sscan(rest, &pid, &instance); !found || err != nil {
		t.Fatalf("the controller died early: %v\n%s", err, out)
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if errors.Is(err, fs.ErrNotExist) || len(text) == 0 {
			break // gone, or a zombie of whoever adopted it
		}
		if time.Since(began) > testkit.Scale(10*time.Second) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("the stopped warden %d outlived its controller", pid)
		}
	}
	// Its state directory goes, and nobody will start in it again: whoever starts
	// next, elsewhere, removes what is empty. The last process may still be leaving.
	if err := os.RemoveAll(place); err != nil {
		t.Fatal(err)
	}
	waitForNone(t, "groups of a state directory that is gone", func() []string {
		closeBackend(t, openUnclosed(t))
		return instancesNamed(t, instance)
	})
}

// instancesNamed are the groups of an instance itself, in every tree.
func instancesNamed(t *testing.T, name string) []string {
	t.Helper()
	var found []string
	for _, base := range []string{"/sys/fs/cgroup/cellwall/", "/sys/fs/cgroup/*/cellwall/"} {
		groups, err := filepath.Glob(base + name)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, groups...)
	}
	return found
}

func dieWithStoppedWarden(t *testing.T) {
	b := openUnclosed(t)
	if _, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range wardens(t) {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("warden %d %s\n", pid, native.InstanceName(b))
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
