package cgroup

import (
	"os"
	"path"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// unprivileged runs as an ordinary user who was given base in each tree.
func unprivileged(t *testing.T, base string) {
	h, err := DetectAt(base)
	if err != nil || !h.Usable() {
		t.Fatalf("with delegation: %+v (%v), want all controllers", h, err)
	}
	// On version 2 who was given a group lives there, and finds it by himself.
	bare, err := DetectAt("")
	if none := bare.Version == None && bare.Controller(Memory).Hint != ""; err != nil || none != (h.Version == V1) {
		t.Fatalf("without a base named: %+v (%v), want nothing usable and a hint on version 1 only", bare, err)
	}
	if want := path.Base(base); path.Base(h.Controller(Memory).Base) != want {
		t.Fatalf("base %s, want one that ends in %s", h.Controller(Memory).Base, want)
	}
	g := newGroup(t, newInstance(t, h), "hog", Limits{MemoryBytes: 48 * mib, Processes: 64, CPUs: 1})
	cmd, _ := start(t, g, "touch", 256*mib)
	if err := cmd.Wait(); err == nil {
		t.Fatal("the hog was not ended")
	}
	if e, err := g.Events(); err != nil || e.OOMKills < 1 {
		t.Fatalf("events %+v (%v), want OOMKills > 0", e, err)
	}
}

func TestUnprivilegedWithoutDelegationIsTold(t *testing.T) {
	if !testkit.InChild(t) {
		testkit.RequireRoot(t) // only root can become somebody who surely has nothing
	}
	testkit.RunInSubprocess(t, asNobody(), func(t *testing.T) {
		h, err := DetectAt("")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range h.Controllers {
			if c.OK || c.Reason == "" || c.Hint == "" {
				t.Errorf("uid %d: %+v, want a reason and a hint", os.Geteuid(), c)
			}
		}
		if _, err := NewInstance(h, "never"); err == nil {
			t.Error("an instance was made without any tree")
		}
	})
}
