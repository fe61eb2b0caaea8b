package cgroup

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestSweepRemovesTheDeadAndLeavesTheLiving(t *testing.T) {
	h := detect(t)
	living, dead := newInstance(t, h), newInstance(t, h)
	kept := newGroup(t, living, "a", Limits{MemoryBytes: 128 * mib, Processes: 64})
	_, out := start(t, kept, "hold", mib)
	out.next(t)
	lost := newGroup(t, dead, "b", Limits{MemoryBytes: 128 * mib, Processes: 64})
	cmd, out := start(t, lost, "hold", mib)
	out.next(t)
	for _, d := range dead.dirs { // what a session makes below its group
		if err := d.mkdir("b/run"); err != nil {
			t.Fatal(err)
		}
	}

	swept, err := Sweep(t.Context(), h, func(name string) bool { return name != dead.Name() })
	if err != nil || !slices.Equal(swept, []string{dead.Name()}) {
		t.Fatalf("swept %v (%v), want only %s", swept, err, dead.Name())
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the dead instance's process ended with %v, want killed", err)
	}
	for _, tr := range h.trees {
		if d := tr.mount.dir(tr.instancePath(dead.Name())); exists(d) {
			t.Errorf("%s is left", d)
		}
		if d := tr.mount.dir(path.Join(tr.instancePath(living.Name()), "a")); !exists(d) {
			t.Errorf("%s of the living instance is gone", d)
		}
	}
	if busy, err := kept.Populated(); !busy || err != nil {
		t.Errorf("the living instance's process is gone (%v)", err)
	}
}

func TestSweepTouchesNothingThatIsNoInstance(t *testing.T) {
	h := detect(t)
	newInstance(t, h)
	foreign := path.Join(h.trees[0].dir(), home, fmt.Sprintf("foreign.%d", os.Getpid()))
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(foreign) })
	var asked []string
	if _, err := Sweep(t.Context(), h, func(name string) bool { asked = append(asked, name); return true }); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(asked, path.Base(foreign)) || !exists(foreign) {
		t.Errorf("sweep looked at %s", foreign)
	}
}

func TestClosingTheLastInstanceBesideANewOneLosesNeither(t *testing.T) {
	h := detect(t)
	done := make(chan error)
	for n := range 4 {
		go func() {
			var err error
			for k := 0; k < 25 && err == nil; k++ {
				var i *Instance
				if i, err = NewInstance(h, fmt.Sprintf("race-%d-%d-%d", os.Getpid(), n, k)); err == nil {
					err = i.Close()
				}
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
