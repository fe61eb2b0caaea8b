package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		noneIsLeft(t, b, fmt.Sprintf("with %d descriptors to spare (%v)", spare, err))
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

// noneIsLeft waits until no agent and no group of a sandbox is there.
func noneIsLeft(t *testing.T, b *native.Backend, when string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		left := append(agentsBelow(os.Getpid()), groupsOf(native.InstanceName(b))...)
		if len(left) == 0 {
			return
		}
		if time.Since(began) > testkit.Scale(10*time.Second) {
			t.Fatalf("%s these are left: %v", when, left)
		}
	}
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
	parents, agents := map[int]int{}, []int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		head, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(strings.Fields(head)[0])
		parents[pid], _ = strconv.Atoi(fields[1])
		if strings.HasSuffix(head, "(agent") && fields[0] != "Z" {
			agents = append(agents, pid)
		}
	}
	var found []string
	for _, pid := range agents {
		for up := pid; up > 1; up = parents[up] {
			if up == root {
				found = append(found, "agent "+strconv.Itoa(pid))
				break
			}
		}
	}
	return found
}
