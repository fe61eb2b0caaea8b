package native

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwall/cellwall/linux/cgroup"
)

func take(t *testing.T, dir string) *instance {
	t.Helper()
	i, err := takeInstance(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.close() })
	return i
}

func TestM49_InstancesShareADirectory(t *testing.T) {
	dir := t.TempDir()
	first, second := take(t, dir), take(t, dir)
	if first.name() == second.name() || first.ids() == second.ids() {
		t.Fatalf("two living controllers share %s and user ids from %d", first.name(), first.ids())
	}
	if !first.alive(dir, second.name()) {
		t.Error("a living instance is taken for dead")
	}
	second.close()
	if first.alive(dir, second.name()) {
		t.Error("a dead instance is taken for alive")
	}
	if third := take(t, dir); third.name() != second.name() {
		t.Errorf("the free place %s was not taken again, but %s", second.name(), third.name())
	}
}

func TestM49_NobodyJudgesAnotherDirectory(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	a, b := take(t, ours), take(t, theirs)
	b.close()
	if a.name() == b.name() {
		t.Fatalf("two state directories share the name %s", a.name())
	}
	if !a.alive(ours, b.name()) {
		t.Error("an instance of another state directory is judged dead")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(ours, link); err != nil {
		t.Fatal(err)
	}
	if again := take(t, link); again.home != a.home {
		t.Errorf("one directory under two names is %s and %s", a.home, again.home)
	}
}

func TestStateDirectoryOfSomebodyElseIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := takeInstance(file); err == nil {
		t.Fatal("a file was taken for a state directory")
	}
}

// What a dead controller was about to write goes with the next start; what a
// living one writes stays, and so does every lock.
func TestM49_FilesOfTheDeadGoWithTheNextStart(t *testing.T) {
	dir := t.TempDir()
	first, dead, living := take(t, dir), take(t, dir), take(t, dir)
	for _, i := range []*instance{dead, living} {
		if err := os.MkdirAll(filepath.Join(i.dir, "driver-1", "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dead.close()
	if err := first.sweepSlots(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		path string
		left bool
	}{
		{filepath.Join(dead.dir, "driver-1"), false},
		{filepath.Join(dead.dir, lockName), true},
		{filepath.Join(living.dir, "driver-1"), true},
	} {
		if _, err := os.Stat(want.path); (err == nil) != want.left {
			t.Errorf("%s: %v, want it left: %v", want.path, err, want.left)
		}
	}
	if again := take(t, dir); again.slot != dead.slot {
		t.Errorf("the swept slot %d was not taken again, but %d", dead.slot, again.slot)
	}
}

func TestM49_FateFollowsWhoMayJudge(t *testing.T) {
	ours, theirs := take(t, t.TempDir()), take(t, t.TempDir())
	dead := func(string) bool { return false }
	living := func(string) bool { return true }
	for _, c := range []struct {
		name  string
		alive func(string) bool
		want  cgroup.Fate
	}{
		{ours.name(), dead, cgroup.End},
		{ours.name(), living, cgroup.Leave},
		{theirs.name(), dead, cgroup.RemoveEmpty},
		{"gvisor-1-2-3", dead, cgroup.Leave},
	} {
		if got := ours.fate(c.name, c.alive); got != c.want {
			t.Errorf("fate of %s is %d, want %d", c.name, got, c.want)
		}
	}
}
