package native_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/delegate"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// nobody is a user who surely owns nothing here.
const nobody = 65_534

// casesVariable tells a child where it may read the case files: the checkout
// itself may lie where only root can go.
const casesVariable = "CELLWALL_TEST_CASES"

func asNobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// TestContractUnprivileged is the contract for an ordinary user who has no
// control groups: what limits memory, processes and processor is refused, and
// named when it is waived. The fast tier runs it briefly.
func TestContractUnprivileged(t *testing.T) {
	prepareChild(t)
	testkit.RunInSubprocess(t, asNobody(), func(t *testing.T) {
		unprivileged(t, native.CPULimit, native.MemoryLimit, native.OwnUID, native.ProcessLimit)
	})
}

// TestContractDelegated is the same for a user who was given groups: all holds
// but the user id of its own.
func TestContractDelegated(t *testing.T) {
	prepareChild(t)
	child := asNobody()
	if !testkit.InChild(t) {
		t.Setenv(cgroup.BaseVariable, giveGroups(t, child))
	}
	testkit.RunInSubprocess(t, child, func(t *testing.T) { unprivileged(t, native.OwnUID) })
}

// prepareChild puts what a child needs where an ordinary user can read it.
func prepareChild(t *testing.T) {
	t.Helper()
	if testkit.InChild(t) {
		return
	}
	testkit.RequireRoot(t) // only root can become somebody who surely has nothing
	basic(t)
	own := t.TempDir()
	openPath(t, own)
	copied := filepath.Join(own, "cases")
	if err := os.CopyFS(copied, os.DirFS(cases(t))); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(own, "tmp")
	if err := os.Mkdir(temporary, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(temporary, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	t.Setenv(casesVariable, copied)
	t.Setenv("TMPDIR", temporary)
}

// unprivileged runs the contract with exactly these protections missing.
func unprivileged(t *testing.T, want ...string) {
	b := open(t)
	lacking := missing(t, b.Probe(t.Context()))
	if !slices.Equal(lacking, want) {
		t.Fatalf("doctor misses %v, want %v", lacking, want)
	}
	_, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()})
	var refused *cellwall.Error
	if !errors.As(err, &refused) || refused.Code != cellwall.CodeProtectionMissing || refused.Hint == "" {
		t.Fatalf("open without the flag = %v, want a refusal with a hint", err)
	}
	s := backendtest.Rooms(t, b, basic(t), ready)
	s.Cases, s.Missing, s.WithoutControls, s.Brief = os.Getenv(casesVariable), lacking, true, !testkit.Long()
	backendtest.Run(t, s)
}

// giveGroups makes a group in each tree and gives it to nobody, as an
// administrator would, and returns its path. On version 2 the child has to be
// born there.
func giveGroups(t *testing.T, child *syscall.SysProcAttr) string {
	t.Helper()
	h, err := cgroup.Detect()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("cellwall-test-%d", os.Getpid())
	if h.Version == cgroup.V2 {
		dir := filepath.Join(h.Controller(cgroup.Memory).Base, name)
		t.Cleanup(func() {
			if err := errors.Join(os.Remove(filepath.Join(dir, "cellwall.self")), os.Remove(dir)); err != nil {
				t.Errorf("the child left something in its group: %v", err)
			}
		})
		group, err := delegate.Group(dir, nobody)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { group.Close() })
		child.UseCgroupFD, child.CgroupFD = true, int(group.Fd())
		return "/" + name
	}
	trees := filepath.Dir(h.Controller(cgroup.CPU).Base)
	for _, tree := range []string{"memory", "pids", "cpu", "cpuacct"} {
		dir := filepath.Join(trees, tree, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Errorf("the child left something in its group: %v", err)
			}
		})
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	return "/" + name
}
