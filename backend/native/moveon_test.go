package native

import (
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// A process that the kernel cannot end keeps the groups of a dead controller,
// which is no reason not to serve. Here somebody's lease keeps them.
func TestM49_ASlotWhoseGroupsCannotGoIsLeft(t *testing.T) {
	testkit.RequireRoot(t)
	h, err := cgroup.Detect()
	if err != nil {
		t.Fatal(err)
	}
	if !h.Usable() {
		t.Skipf("skip, proof: controllers %+v", h.Controllers)
	}
	dir := t.TempDir()
	dead := take(t, dir)
	dead.close()
	kept, err := cgroup.NewInstance(h, dead.name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"wardens", "s1"} {
		if _, err := kept.New(name, cgroup.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := New(Options{StateDir: dir, Self: []string{"/proc/self/exe"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if b.instance.name() == dead.name() || b.groups.Name() != b.instance.name() {
		t.Errorf("it serves as %s with the groups of %s", b.instance.name(), b.groups.Name())
	}
	if again := take(t, dir); again.name() != dead.name() {
		t.Errorf("the slot that was left is held: %s was free", again.name())
	}
}
