package probe

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

const hiddenVerb = "cellwall-probe-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == hiddenVerb {
		os.Exit(Child(os.Args[2:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each child of a race build lingers for a second
	os.Exit(m.Run())
}

func options() Options { return Options{Self: []string{"/proc/self/exe", hiddenVerb}} }

func facts(t *testing.T) map[string]Fact {
	t.Helper()
	list, err := Facts(t.Context(), options())
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]Fact)
	for _, f := range list {
		t.Logf("%s [since %s] rule=%q hint=%q", f, f.MinKernel, f.Rule, f.Hint)
		byName[f.Name] = f
	}
	return byName
}

func TestEveryFactHoldsOrIsExplained(t *testing.T) {
	for name, f := range facts(t) {
		t.Run(name, func(t *testing.T) { testkit.Require(t, f) })
	}
}

func TestUnprivilegedFactsHoldOrAreExplained(t *testing.T) {
	if !testkit.InChild(t) {
		testkit.RequireRoot(t)
	}
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	testkit.RunInSubprocess(t, nobody, func(t *testing.T) {
		known := facts(t)
		for name, f := range known {
			if !f.OK && f.Rule == "" {
				t.Errorf("%s has no reason", name)
			}
			if !f.OK && f.Hint == "" {
				t.Errorf("%s has no hint", name)
			}
		}
		if f := known[CgroupMemory]; f.OK {
			t.Errorf("%s: nobody was given a group", f)
		}
	})
}

func TestWithoutSelfNothingIsClaimed(t *testing.T) {
	p := New(Options{})
	list, err := p.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if strings.HasSuffix(f.Name, "_namespace") && f.OK {
			t.Errorf("%s was not tried", f)
		}
	}
	if _, kept := p.known[PIDNamespace]; kept {
		t.Error("an attempt that could not be made was kept as an answer")
	}
	if _, kept := p.known[Memfd]; !kept {
		t.Error("a conclusive answer was not kept")
	}
}

func TestSecondAskingTriesNothingAgain(t *testing.T) {
	p := New(options())
	first, err := p.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.opts.Self = []string{"/nonexistent"}
	second, err := p.Facts(t.Context())
	if err != nil || !slices.Equal(first, second) {
		t.Fatalf("second answer differs (%v):\n%v\n%v", err, first, second)
	}
}

func TestPassingErrorsAreNoAnswer(t *testing.T) {
	for _, err := range []error{unix.EAGAIN, unix.ENOMEM, context.DeadlineExceeded, errNoSelf} {
		f := attempt{try: func(context.Context, Options) (string, error) { return "", err }}.run(t.Context(), Options{})
		if f.OK || !f.passing {
			t.Errorf("%v gave %+v, want an answer that is not kept", err, f)
		}
	}
	f := attempt{try: func(context.Context, Options) (string, error) { return "", unix.ENOSYS }}.run(t.Context(), Options{})
	if f.OK || f.passing {
		t.Errorf("ENOSYS gave %+v, want a conclusive no", f)
	}
}

func TestMissingControllerIsExplained(t *testing.T) {
	rule, hint := explain(CgroupMemory, &cgroup.ControllerError{Controller: "memory", Reason: "why", Hint: "do"})
	if rule != "why" || hint != "do" {
		t.Errorf("rule %q, hint %q", rule, hint)
	}
}

func TestChildReportsWhatItWasNotAsked(t *testing.T) {
	for _, args := range [][]string{nil, {"unknown"}, {verbNamespace}, {verbNamespace, "no-such"}} {
		if detail, err := tryInside(args); err == nil {
			t.Errorf("%q gave %q, want an error", args, detail)
		}
	}
	_, err := verdict(t.Context(), strings.NewReader(`{"error":"mount: refused","errno":1}`), nil)
	if !errors.Is(err, unix.EPERM) || passing(err) {
		t.Errorf("error %v, want the child's EPERM", err)
	}
	if _, err := verdict(t.Context(), strings.NewReader("garbage"), nil); !passing(err) {
		t.Errorf("error %v, want one that is no answer", err)
	}
}

func TestSubordinateRange(t *testing.T) {
	text := "# comment\nroot:1:2\nalice:100000:65536\n1001:165536:65536\n:1:1\nbob:x:5\n"
	for _, tc := range []struct{ uid, name, first string }{
		{"1000", "alice", "100000"}, {"1001", "", "165536"}, {"1002", "bob", ""}, {"1003", "", ""},
	} {
		if first, _, _ := subordinate(text, tc.uid, tc.name); first != tc.first {
			t.Errorf("%s/%s: first %q, want %q", tc.uid, tc.name, first, tc.first)
		}
	}
}

func FuzzSubordinate(f *testing.F) {
	f.Add("alice:100000:65536\n", "1000", "alice")
	f.Fuzz(func(t *testing.T, text, uid, name string) {
		first, count, ok := subordinate(text, uid, name)
		if ok && (strings.Trim(first, "0123456789") != "" || strings.Trim(count, "0123456789") != "") {
			t.Fatalf("arguments %q %q are no numbers", first, count)
		}
	})
}
