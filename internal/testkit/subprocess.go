package testkit

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childVariable holds the name of the test whose body the child is to run.
const childVariable = "CELLWALL_TEST_CHILD"

// ran is what a child prints when the body was reached: without it a child that
// matched no test would count as a success.
const ran = "testkit: child body ran"

// childPatience is a guard against hanging, before Scale, where the test has no
// deadline of its own.
const childPatience = 10 * time.Minute

// RunInSubprocess runs body in a new process of the test binary, started with
// attr (nil for an ordinary child). The test fails when the child does, and skips
// when the child skips. The child runs the test from its beginning: what precedes
// the call runs in both, except where it asks InChild.
func RunInSubprocess(t *testing.T, attr *syscall.SysProcAttr, body func(t *testing.T)) {
	t.Helper()
	if InChild(t) {
		os.Stdout.WriteString(ran + "\n")
		body(t)
		return
	}
	end, limited := t.Deadline()
	if !limited {
		end = time.Now().Add(Scale(childPatience))
	}
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "-test.v", "-test.count=1", "-test.run="+childPattern(t.Name()))
	cmd.Env = append(os.Environ(), childVariable+"="+t.Name())
	cmd.SysProcAttr = attr
	cmd.WaitDelay = 5 * time.Second // a grandchild may hold the output
	out, err := cmd.CombinedOutput()
	text := string(out)
	switch {
	case err != nil:
		t.Fatalf("child: %v\n%s", err, text)
	case !strings.Contains(text, ran):
		t.Fatalf("child ran no body of %s:\n%s", t.Name(), text)
	case strings.Contains(text, "--- SKIP: "+t.Name()+" ("): // not one of its parts
		t.Skipf("skip, proof by the child:\n%s", text)
	}
	t.Logf("child:\n%s", text)
}

// InChild reports whether this process was started by RunInSubprocess for t.
func InChild(t *testing.T) bool { return os.Getenv(childVariable) == t.Name() }

// childPattern is what the child is asked to run: the test, or what of it this
// process was asked for.
func childPattern(name string) string {
	asked := flag.Lookup("test.run").Value.String()
	if strings.HasPrefix(asked, exactly(name)+"/") {
		return asked
	}
	return exactly(name)
}

// exactly is the pattern that -test.run needs for one (sub)test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// SlowVariable holds the factor of Scale.
const SlowVariable = "CELLWALL_TEST_SLOW"

// Scale stretches a time that guards a test against hanging, or that a program
// is given, by the factor in SlowVariable, for emulated machines. 1 and what is
// no number change nothing.
func Scale(d time.Duration) time.Duration {
	if f, err := strconv.ParseFloat(os.Getenv(SlowVariable), 64); err == nil && f > 1 {
		return time.Duration(float64(d) * f)
	}
	return d
}
