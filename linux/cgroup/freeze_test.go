package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
)

// freezable is this host's hierarchy, if it can freeze.
func freezable(t *testing.T) Hierarchy {
	t.Helper()
	h := detect(t)
	if h.Version == V1 && h.freezer == nil {
		t.Skipf("skip, proof: no tree of version 2 in which to make groups; own groups: %v", h.Controllers)
	}
	return h
}

// clock is the processor time of a process so far, in ticks: fields 14 and 15.
func clock(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Join(strings.Fields(rest)[11:13], " ")
}

// runsOn waits for a process to use the processor.
func runsOn(t *testing.T, pid int) {
	t.Helper()
	from := clock(t, pid)
	for end := time.Now().Add(testkit.Scale(20 * time.Second)); clock(t, pid) == from; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the process does not run")
		}
	}
}

func freeze(t *testing.T, g *Group) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(20*time.Second))
	defer cancel()
	if err := g.Freeze(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestM40_AFrozenGroupDoesNotRun(t *testing.T) {
	g := newGroup(t, newInstance(t, freezable(t)), "cold", Limits{MemoryBytes: 64 * mib, Processes: 16})
	cmd, _ := start(t, g, "spin", 0)
	pid := cmd.Process.Pid
	for range 3 {
		runsOn(t, pid)
		freeze(t, g)
		freeze(t, g)                      // again: nothing new
		time.Sleep(20 * time.Millisecond) // the tick that was under way is counted
		at := clock(t, pid)
		time.Sleep(50 * time.Millisecond)
		if now := clock(t, pid); now != at {
			t.Errorf("a frozen process went from %s to %s", at, now)
		}
		if in, err := g.Has(pid); !in || err != nil {
			t.Errorf("it is in its group: %v, %v", in, err)
		}
		if err := g.Thaw(); err != nil {
			t.Fatal(err)
		}
	}
	runsOn(t, pid)
	freeze(t, g)
	kill(t, g) // what is frozen dies
	_ = cmd.Wait()
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Whoever forks as fast as he can is frozen all the same.
func TestM40_AForkBombIsFrozenWhole(t *testing.T) {
	g := newGroup(t, newInstance(t, freezable(t)), "bomb", Limits{Processes: 64})
	_, out := start(t, g, "bomb", 0)
	out.next(t)
	freeze(t, g)
	before, err := g.Members()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	for _, pid := range before {
		at := clock(t, pid)
		time.Sleep(time.Millisecond)
		if now := clock(t, pid); now != at {
			t.Errorf("process %d went from %s to %s", pid, at, now)
		}
	}
	kill(t, g)
}

// A thread that starts a process inside is there a moment longer than that takes.
func TestM40_WhoFreezesIsNotFrozen(t *testing.T) {
	h := freezable(t)
	if h.Version == V2 {
		t.Skipf("skip, proof: this host's groups are of version 2: %v; a thread cannot enter one alone", h.Controllers)
	}
	g := newGroup(t, newInstance(t, h), "own", Limits{Processes: 8})
	entered, leave := make(chan error), make(chan struct{})
	go func() {
		entered <- g.Inside(func() error {
			entered <- nil
			<-leave
			return nil
		})
	}()
	if err := <-entered; err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(leave) })
	freeze(t, g)
	select {
	case <-leave:
	default:
		t.Error("it did not wait for its own thread")
	}
	if err := <-entered; err != nil {
		t.Fatal(err)
	}
}

// What a controller that died had frozen is swept, with its groups.
func TestM49_WhatWasFrozenIsSwept(t *testing.T) {
	h := freezable(t)
	i, err := NewInstance(h, fmt.Sprintf("test-frozen-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer i.letGo()
	g, err := i.New("left", Limits{Processes: 8})
	if err != nil {
		t.Fatal(err)
	}
	cmd := idle(h)
	if err := startInside(g, cmd); err != nil {
		t.Fatal(err)
	}
	freeze(t, g)
	if swept, err := Sweep(t.Context(), h, only(i.name)); len(swept) > 0 || err != nil {
		t.Fatalf("swept %q (%v) of one who lives", swept, err)
	}
	die(i)
	swept, err := Sweep(t.Context(), h, only(i.name))
	if err != nil || len(swept) != 1 {
		t.Fatalf("swept %q, %v", swept, err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != unix.SIGKILL {
		t.Errorf("the frozen process ended with %v", err)
	}
	for _, tr := range h.all() {
		if d := tr.mount.dir(tr.instancePath(i.name)); exists(d) {
			t.Errorf("%s is left behind", d)
		}
	}
}

func only(name string) func(string) Fate {
	return func(instance string) Fate {
		if instance == name {
			return End
		}
		return Leave
	}
}

func TestM40_WithoutAUnifiedTreeFreezingIsRefused(t *testing.T) {
	h := detect(t)
	if h.Version == V2 {
		t.Skipf("skip, proof: this host's groups are of version 2: %v", h.Controllers)
	}
	h.freezer = nil
	g := newGroup(t, newInstance(t, h), "warm", Limits{})
	if err := g.Freeze(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("freeze: %v, want ErrUnavailable", err)
	}
}
