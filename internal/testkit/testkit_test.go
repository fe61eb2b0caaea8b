package testkit

import (
	"flag"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestSubprocessIsAnotherProcess(t *testing.T) {
	if _, child := os.LookupEnv(childVariable); !child {
		t.Setenv("TESTKIT_PARENT", strconv.Itoa(os.Getpid()))
	}
	RunInSubprocess(t, nil, func(t *testing.T) {
		if want := os.Getenv("TESTKIT_PARENT"); strconv.Itoa(os.Getppid()) != want {
			t.Fatalf("parent is %d, want %s", os.Getppid(), want)
		}
	})
}

func TestSubprocessTakesAttributes(t *testing.T) {
	RunInSubprocess(t, &syscall.SysProcAttr{Setpgid: true}, func(t *testing.T) {
		if pgrp := syscall.Getpgrp(); pgrp != os.Getpid() {
			t.Fatalf("process group %d, want %d: attributes were not used", pgrp, os.Getpid())
		}
	})
}

func TestSubprocessIsNotSkippedWithAPartOfIt(t *testing.T) {
	defer func() {
		if t.Skipped() {
			t.Error("the whole test is told as skipped")
		}
	}()
	RunInSubprocess(t, nil, func(t *testing.T) {
		t.Run("part", func(t *testing.T) { t.Skip("skip, proof: this part alone lacks what it needs") })
	})
}

func TestSubprocessRunsThePartThatWasAskedFor(t *testing.T) {
	asked := flag.Lookup("test.run").Value
	before := asked.String()
	defer func() { _ = asked.Set(before) }()
	for pattern, want := range map[string]string{
		"": "^TestX$", "TestX/part": "^TestX$", "^TestX$/part": "^TestX$/part", "^TestXY$/part": "^TestX$",
	} {
		if err := asked.Set(pattern); err != nil {
			t.Fatal(err)
		}
		if got := childPattern("TestX"); got != want {
			t.Errorf("asked for %q: the child runs %q, want %q", pattern, got, want)
		}
	}
}

type fact struct {
	ok            bool
	since, excuse string
}

func (f fact) Available() bool { return f.ok }
func (f fact) Since() string   { return f.since }
func (f fact) Excuse() string  { return f.excuse }
func (f fact) String() string  { return "a fact of the test" }

func TestRequireFailsWhenTheKernelShouldHaveIt(t *testing.T) {
	for _, tc := range []struct {
		name string
		fact fact
		want string
	}{
		{"HeldFactGoesOn", fact{ok: true}, "passed"},
		{"TooOldKernelSkips", fact{since: "99.0"}, "skipped"},
		{"RuleOfTheHostSkips", fact{since: "2.6", excuse: "sysctl"}, "skipped"},
		{"NewEnoughKernelFails", fact{since: "2.6"}, "failed"},
		{"EveryKernelFails", fact{}, "failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() { defer close(done); Require(r, tc.fact); r.outcome = "passed" }()
			<-done
			if r.outcome != tc.want {
				t.Fatalf("outcome %q, want %q", r.outcome, tc.want)
			}
		})
	}
}

func TestScale(t *testing.T) {
	t.Setenv("CELLWALL_TEST_SLOW", "15")
	if got := Scale(time.Second); got != 15*time.Second {
		t.Fatalf("Scale = %v, want 15s", got)
	}
	t.Setenv("CELLWALL_TEST_SLOW", "x")
	if got := Scale(time.Second); got != time.Second {
		t.Fatalf("Scale = %v, want 1s", got)
	}
}
