package testkit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Fact is what a probe found out about the host. probe.Fact is one.
type Fact interface {
	Available() bool
	Since() string  // first kernel that has it, "major.minor", "" = every
	Excuse() string // the host's rule that forbids it, "" = none known
	String() string // the finding, as a sentence
}

// Require lets the test go on when the fact holds. Otherwise it skips with the
// probe's finding as the proof, but fails when the kernel is new enough to have
// the thing and no rule of the host excuses its absence.
func Require(t testing.TB, f Fact) {
	t.Helper()
	if f.Available() {
		return
	}
	release, err := kernelRelease()
	if err != nil {
		t.Fatalf("require %s: %v", f, err)
	}
	if f.Excuse() == "" && !olderThan(release, f.Since()) {
		t.Fatalf("require: %s; yet kernel %s should have it (since %q) and no rule of this host forbids it", f, release, f.Since())
	}
	t.Skipf("skip, proof: %s; kernel %s, needs %q; rule of the host: %q", f, release, f.Since(), f.Excuse())
}

// RequireRoot skips, naming the ids, unless the effective user is root.
func RequireRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skipf("skip, proof: needs root, runs as uid %d, effective %d", os.Getuid(), os.Geteuid())
	}
}

// olderThan compares "6.1.0-57-cloud" with "5.14". An unreadable version is not
// older, so that it fails rather than skips.
func olderThan(release, since string) bool {
	have, err1 := version(release)
	want, err2 := version(since)
	if err1 != nil || err2 != nil {
		return false
	}
	return have[0] < want[0] || have[0] == want[0] && have[1] < want[1]
}

func version(s string) ([2]int, error) {
	major, rest, _ := strings.Cut(s, ".")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	a, err := strconv.Atoi(major)
	if err != nil {
		return [2]int{}, fmt.Errorf("read version %q: %w", s, err)
	}
	b, err := strconv.Atoi(rest)
	if err != nil {
		return [2]int{}, fmt.Errorf("read version %q: %w", s, err)
	}
	return [2]int{a, b}, nil
}

func kernelRelease() (string, error) {
	var u syscall.Utsname
	if err := syscall.Uname(&u); err != nil {
		return "", fmt.Errorf("ask kernel release: %w", err)
	}
	var b strings.Builder
	for _, c := range u.Release {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String(), nil
}
