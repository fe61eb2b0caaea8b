package native_test

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// inContainer is root of a user namespace with no right outside it, in mount and
// network namespaces of its own: what a container without extra privileges has.
func inContainer() *syscall.SysProcAttr {
	one := []syscall.SysProcIDMap{{HostID: nobody, Size: 1}}
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
		UidMappings: one, GidMappings: one,
		Credential: &syscall.Credential{NoSetGroups: true},
	}
}

// A container that may not make namespaces is told so by doctor, and no flag
// makes a sandbox of it.
func TestContainer_WithoutNamespacesIsRefusedAndSaysWhy(t *testing.T) {
	prepareChild(t)
	testkit.RunInSubprocess(t, inContainer(), func(t *testing.T) {
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			t.Fatal(err)
		}
		b := open(t)
		report := b.Probe(t.Context())
		if report.Usable {
			t.Error("doctor calls it usable")
		}
		for _, p := range report.Protections {
			if p.Name == "user_namespace" && (p.State != cellwall.Missing || p.Detail == "" || p.Hint == "") {
				t.Errorf("doctor says %+v, want it missing, with a reason and a hint", p)
			}
		}
		for _, waived := range []bool{false, true} {
			_, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits(), AllowDegraded: waived})
			if cellwall.CodeOf(err) != cellwall.CodeProtectionMissing || cellwall.HintOf(err) == "" {
				t.Errorf("open with degrading %v: %v (hint %q), want a refusal with a hint", waived, err, cellwall.HintOf(err))
			}
		}
	})
}

// One that may make namespaces lacks what only a host gives: it is refused too,
// until the caller accepts by name what is missing.
func TestContainer_WithoutGroupsRunsOnlyDegraded(t *testing.T) {
	prepareChild(t)
	testkit.RunInSubprocess(t, inContainer(), func(t *testing.T) {
		b := open(t)
		lacking := missing(t, b.Probe(t.Context()))
		if len(lacking) == 0 {
			t.Fatal("doctor misses nothing in a container without privileges")
		}
		spec := cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits()}
		var refused *cellwall.Error
		if _, err := b.Open(t.Context(), spec); !errors.As(err, &refused) || refused.Code != cellwall.CodeProtectionMissing || refused.Hint == "" {
			t.Fatalf("open without the flag = %v, want a refusal with a hint", err)
		}
		spec.AllowDegraded = true
		s, err := b.Open(t.Context(), spec)
		if err != nil {
			t.Fatalf("doctor misses only %v, but: %v", lacking, err)
		}
		defer s.Close()
		if degraded := slices.Sorted(slices.Values(s.Boundary().Degraded)); !slices.Equal(degraded, lacking) {
			t.Errorf("the boundary names %v, doctor %v", degraded, lacking)
		}
	})
}
