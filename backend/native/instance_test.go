package native

import (
	"os"
	"path/filepath"
	"testing"
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
