package native_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// orphanVariable makes this test be the controller that dies.
const orphanVariable = "CELLWALL_TEST_ORPHAN"

// A controller that is killed takes its warden along, and with it everything
// behind its walls, even when the warden stands still and hears nothing.
func TestM49_AStoppedWardenDiesWithItsController(t *testing.T) {
	testkit.RequireRoot(t)
	if os.Getenv(orphanVariable) != "" {
		dieWithStoppedWarden(t)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), orphanVariable+"=1")
	out, err := cmd.Output()
	if err == nil {
		t.Fatal("the controller did not die")
	}
	_, rest, found := strings.Cut(string(out), "warden ")
	var pid int
	if _, err := fmt.Sscan(rest, &pid); !found || err != nil {
		t.Fatalf("the controller died early: %v\n%s", err, out)
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if errors.Is(err, fs.ErrNotExist) || len(text) == 0 {
			return // gone, or a zombie of whoever adopted it
		}
		if time.Since(began) > testkit.Scale(10*time.Second) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("the stopped warden %d outlived its controller", pid)
		}
	}
}

func dieWithStoppedWarden(t *testing.T) {
	b := open(t)
	if _, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range wardens(t) {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("warden %d\n", pid)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
