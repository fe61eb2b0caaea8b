package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
)

// An opening that fails for want of descriptors, wherever on its way, leaves no
// process and no group: not in the controller's hands, and not in the warden's.
func TestScarce_AnOpeningWithoutDescriptorsLeavesNothing(t *testing.T) {
	testkit.RequireRoot(t)
	for _, whose := range []string{"controller", "warden"} {
		t.Run(whose, func(t *testing.T) {
			t.Parallel()
			testkit.RunInSubprocess(t, nil, func(t *testing.T) { openScarce(t, whose) })
		})
	}
}

func openScarce(t *testing.T, whose string) {
	b := open(t)
	spec := cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()}
	failed := 0
	for spare := 0; ; spare++ {
		if err := b.Warm(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		pid, warden := os.Getpid(), onlyWarden(t)
		if whose == "warden" {
			pid = warden
		}
		undo := limitFiles(t, pid, openCount(t, pid)+spare)
		s, err := b.Open(t.Context(), spec)
		undo()
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		enough := err == nil && slices.Contains(wardens(t), warden) // else the next one served
		if !enough {
			failed++
		}
		waitForNone(t, fmt.Sprintf("with %d descriptors to spare (%v) agents and groups", spare, err), func() []string {
			return append(agentsBelow(os.Getpid()), groupsOf(native.InstanceName(b))...)
		})
		if enough {
			break
		}
	}
	t.Logf("%d of the openings failed", failed)
	if failed < 5 {
		t.Errorf("only %d openings failed: the limit did not bite", failed)
	}
}

// onlyWarden waits until the one before is gone.
func onlyWarden(t *testing.T) int {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if found := wardens(t); len(found) == 1 {
			return found[0]
		} else if time.Since(began) > testkit.Scale(20*time.Second) {
			t.Fatalf("wardens: %v", found)
		}
	}
}

// limitFiles bounds the numbers of a process's descriptors.
func limitFiles(t *testing.T, pid, n int) (undo func()) {
	t.Helper()
	var before syscall.Rlimit
	if errno := prlimit(pid, nil, &before); errno != 0 {
		t.Fatal(errno)
	}
	if errno := prlimit(pid, &syscall.Rlimit{Cur: uint64(n), Max: before.Max}, nil); errno != 0 {
		t.Fatal(errno)
	}
	return func() {
		if errno := prlimit(pid, &before, nil); errno != 0 && errno != syscall.ESRCH {
			t.Fatal(errno)
		}
	}
}

func prlimit(pid int, next, before *syscall.Rlimit) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE,
		uintptr(unsafe.Pointer(next)), uintptr(unsafe.Pointer(before)), 0, 0)
	return errno
}

func openCount(t *testing.T, pid int) int {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// groupsOf are the groups below an instance, in every tree.
func groupsOf(instance string) []string {
	var found []string
	for _, base := range []string{"/sys/fs/cgroup/cellwall", "/sys/fs/cgroup/*/cellwall"} {
		groups, _ := filepath.Glob(filepath.Join(base, instance, "*/cgroup.procs")) // the pattern is well formed
		found = append(found, groups...)
	}
	return found
}

// agentsBelow are the first processes of sandboxes that descend from root.
func agentsBelow(root int) []string {
	var found []string
	for _, pid := range below(root, "agent") {
		found = append(found, "agent "+strconv.Itoa(pid))
	}
	return found
}
