package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// die gives the lease back, as the kernel does for a controller that was killed.
func die(i *Instance) {
	for _, fd := range i.lease.fds {
		unix.Close(fd)
	}
	i.lease.fds = nil
}

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

	die(dead)

	end := func(name string) Fate {
		if name == dead.Name() || name == living.Name() {
			return End
		}
		return Leave
	}
	swept, err := Sweep(t.Context(), h, end)
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
	if Stands(h, dead.Name()) || !Stands(h, living.Name()) {
		t.Error("it is not told which of the two stands")
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
	if _, err := Sweep(t.Context(), h, func(name string) Fate { asked = append(asked, name); return Leave }); err != nil {
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

// Nobody knows whose an instance of another state directory is. The lease says
// that nobody lives there; a process in it may still be on its way out.
func TestSweepOfStrangersTakesOnlyWhatIsEmpty(t *testing.T) {
	h := detect(t)
	busy, empty := newInstance(t, h), newInstance(t, h)
	group := newGroup(t, busy, "a", Limits{MemoryBytes: 128 * mib, Processes: 64})
	_, out := start(t, group, "hold", mib)
	out.next(t)
	newGroup(t, empty, "b", Limits{MemoryBytes: 128 * mib, Processes: 64})
	sweep := func() []string {
		t.Helper()
		swept, err := Sweep(t.Context(), h, func(name string) Fate {
			if name == busy.Name() || name == empty.Name() {
				return RemoveEmpty
			}
			return Leave
		})
		if err != nil {
			t.Fatal(err)
		}
		return swept
	}
	if swept := sweep(); len(swept) != 0 {
		t.Fatalf("swept %v, whose owners live", swept)
	}
	die(busy)
	die(empty)
	if swept := sweep(); !slices.Equal(swept, []string{empty.Name()}) {
		t.Fatalf("swept %v, want only %s", swept, empty.Name())
	}
	if busy, err := group.Populated(); !busy || err != nil {
		t.Errorf("a stranger's process was ended (%v)", err)
	}
}

func TestNobodyMovesInWithOneWhoLives(t *testing.T) {
	h := detect(t)
	living := newInstance(t, h)
	newGroup(t, living, "a", Limits{Processes: 8})
	if _, err := NewInstance(h, living.Name()); !errors.Is(err, errLeased) {
		t.Errorf("moved in: %v", err)
	}
	for _, tr := range h.trees {
		if d := tr.mount.dir(path.Join(tr.instancePath(living.Name()), "a")); !exists(d) {
			t.Errorf("%s of the living instance is gone", d)
		}
	}
}

// A sweep that removes what a new owner of the same name is about to enter
// makes that owner begin again, not lose its groups.
func TestMovingInDuringASweepLosesNothing(t *testing.T) {
	h := detect(t)
	name := fmt.Sprintf("move-%d", os.Getpid())
	stop, swept := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				swept <- nil
				return
			default:
			}
			if _, err := Sweep(t.Context(), h, func(n string) Fate {
				if n == name {
					return End
				}
				return Leave
			}); err != nil {
				swept <- err
				return
			}
		}
	}()
	for n := range 50 {
		i, err := NewInstance(h, name)
		if err != nil {
			t.Errorf("move in: %v", err)
			break
		}
		if _, err := i.New("a", Limits{Processes: 8}); err != nil {
			t.Errorf("round %d: a living instance was swept: %v", n, err)
		}
		if err := i.Close(); err != nil {
			t.Errorf("move out: %v", err)
		}
	}
	close(stop)
	if err := <-swept; err != nil {
		t.Error(err)
	}
}
