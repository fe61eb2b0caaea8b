package native

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/seccomp"
)

// The group of these tests: processes 10 and 11 of the sandbox, in one group of
// processes, the second with a thread 12, and 16, which is in a group of processes
// with a snapshot. Host numbers are 1,000 higher.
func someGroup() population {
	set := func(numbers ...int) map[int]bool {
		out := map[int]bool{}
		for _, n := range numbers {
			out[n] = true
		}
		return out
	}
	return population{hosts: map[int]int{1010: 10, 1011: 10, 1012: 10, 1016: 15}, numbers: set(10, 11, 12, 16), groups: set(10)}
}

func someGate() *gate { return &gate{look: someGroup, let: map[int]time.Time{}} }

func callOf(name string, args ...int64) seccomp.Call {
	c := seccomp.Call{PID: 1010, Name: name}
	for i, a := range args {
		c.Args[i] = uint64(a)
	}
	return c
}

func says(a seccomp.Answer) string {
	switch {
	case a.Continue:
		return "goes on"
	case a.Hold:
		return "waits"
	}
	return unix.ErrnoName(a.Errno)
}

const high = int64(1) << 32

func TestM40_OnlyTheCellsOwnProcessesCanBeReached(t *testing.T) {
	for _, tt := range []struct {
		call seccomp.Call
		want string
	}{
		{callOf("kill", 10, 9), "goes on"},
		{callOf("kill", 12, 9), "goes on"}, // a thread stands for its process
		{callOf("kill", high|10, 9), "goes on"},
		{callOf("kill", 13, 9), "ESRCH"},
		{callOf("kill", 1, 9), "ESRCH"},
		{callOf("kill", 13, 0), "ESRCH"},
		{callOf("kill", 0, 9), "goes on"},
		{callOf("kill", high, 9), "goes on"}, // the kernel takes an int
		{callOf("kill", -1, 9), "EPERM"},
		{callOf("kill", 0xffffffff, 9), "EPERM"},
		{callOf("kill", -10, 9), "goes on"},
		{callOf("kill", -11, 9), "ESRCH"}, // a process that leads no group
		{callOf("kill", -13, 9), "ESRCH"},
		{callOf("kill", -1<<31, 9), "ESRCH"},
		{callOf("tgkill", 11, 12, 9), "goes on"},
		{callOf("tgkill", 13, 13, 9), "ESRCH"},
		{callOf("tgkill", -1, 13, 9), "ESRCH"},
		{callOf("rt_sigqueueinfo", 11, 9), "goes on"},
		{callOf("rt_sigqueueinfo", 13, 9), "ESRCH"},
		{callOf("rt_tgsigqueueinfo", 11, 12, 9), "goes on"},
		{callOf("rt_tgsigqueueinfo", 13, 13, 9), "ESRCH"},
		{callOf("prlimit64", 0, 7), "goes on"},
		{callOf("prlimit64", 11, 7), "goes on"},
		{callOf("prlimit64", 13, 7), "ESRCH"},
		{callOf("sched_setaffinity", 0), "goes on"},
		{callOf("sched_setaffinity", 12), "goes on"},
		{callOf("sched_setaffinity", 13), "ESRCH"},
		{callOf("setpriority", prioProcess, 0), "goes on"},
		{callOf("setpriority", prioProcess, 12), "goes on"},
		{callOf("setpriority", prioProcess, 13), "ESRCH"},
		{callOf("setpriority", prioPgrp, 0), "goes on"},
		{callOf("setpriority", prioPgrp, 10), "goes on"},
		{callOf("setpriority", prioPgrp, 13), "ESRCH"},
		{callOf("setpriority", prioPgrp, -10), "ESRCH"},
		{callOf("setpriority", prioUser, 0), "EPERM"},
		{callOf("setpriority", 3, 0), "EINVAL"},
		{callOf("clone", int64(sisterly)), "EPERM"},
		{callOf("reboot", 10), "ENOSYS"}, // nobody sends it here; it must not go on
	} {
		t.Run(fmt.Sprint(tt.call.Name, int32(tt.call.Args[0]), int32(tt.call.Args[1])), func(t *testing.T) {
			if got := says(someGate().Judge(tt.call)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestM40_WhoIsOutsideTheGroupReachesNobody(t *testing.T) {
	c := callOf("kill", 10, 9)
	c.PID = 1013
	if got := says(someGate().Judge(c)); got != "EPERM" {
		t.Errorf("a snapshot's signal %s", got)
	}
}

func TestM40_AGroupOfProcessesWithASnapshotIsNotTheCells(t *testing.T) {
	for _, c := range []seccomp.Call{callOf("kill", 0, 9), callOf("kill", -15, 9), callOf("setpriority", prioPgrp, 0), callOf("setpriority", prioPgrp, 15)} {
		c.PID = 1016
		if got := says(someGate().Judge(c)); got != "ESRCH" {
			t.Errorf("%s%d %s", c.Name, int64(c.Args[0]), got)
		}
	}
}

func TestM40_WithoutCheckpointsThereIsNothingToReach(t *testing.T) {
	g := &gate{}
	if got := says(g.Judge(callOf("kill", -1, 9))); got != "goes on" {
		t.Errorf("kill(-1): %s", got)
	}
	if got := says(g.Judge(callOf("clone", int64(sisterly)))); got != "EPERM" {
		t.Errorf("a sister: %s", got)
	}
}

func TestM40_OnlyTheExpectedProcessForksOnceAndAsTheDriverDoes(t *testing.T) {
	stranger := callOf("clone", int64(sisterly))
	stranger.PID = 1011
	for name, tt := range map[string]struct {
		calls []seccomp.Call
		want  []string
	}{
		"as agreed":              {[]seccomp.Call{callOf("clone", int64(sisterly))}, []string{"goes on"}},
		"twice":                  {[]seccomp.Call{callOf("clone", int64(sisterly)), callOf("clone", int64(sisterly))}, []string{"goes on", "EPERM"}},
		"another process":        {[]seccomp.Call{stranger, callOf("clone", int64(sisterly))}, []string{"EPERM", "goes on"}},
		"a thread":               {[]seccomp.Call{callOf("clone", int64(sisterly)|unix.CLONE_THREAD)}, []string{"EPERM"}},
		"shared memory":          {[]seccomp.Call{callOf("clone", int64(sisterly)|unix.CLONE_VM)}, []string{"EPERM"}},
		"a namespace":            {[]seccomp.Call{callOf("clone", int64(sisterly)|unix.CLONE_NEWUSER)}, []string{"EPERM"}},
		"another signal":         {[]seccomp.Call{callOf("clone", int64(sisterly)&^0xff)}, []string{"EPERM"}},
		"bits that nobody knows": {[]seccomp.Call{callOf("clone", int64(sisterly)|high)}, []string{"EPERM"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := someGate()
			shut := g.open(1010)
			for i, c := range tt.calls {
				if got := says(g.Judge(c)); got != tt.want[i] {
					t.Errorf("call %d %s, want %s", i, got, tt.want[i])
				}
			}
			shut()
			if got := says(g.Judge(callOf("clone", int64(sisterly)))); got != "EPERM" {
				t.Errorf("after the window: %s", got)
			}
		})
	}
}

type fakeCalls struct {
	hurry    bool
	released int
}

func (f *fakeCalls) Hurry(on bool) { f.hurry = on }
func (f *fakeCalls) Release()      { f.released++ }

// TestM40_NothingReachesWhoIsBeingBorn lets a snapshot have the number 13, and
// has calls made before, while and after it is born.
func TestM40_NothingReachesWhoIsBeingBorn(t *testing.T) {
	now, calls := someGroup(), &fakeCalls{}
	g := &gate{look: func() population { return now }, let: map[int]time.Time{}, calls: calls}
	shut := g.open(1010)
	if !calls.hurry {
		t.Error("the fork waits for the allowance of who floods")
	}
	now.numbers[13], now.hosts[1013], now.groups[13] = true, 13, true // in the cells' group until it is moved
	for _, c := range []seccomp.Call{callOf("kill", 13, 9), callOf("kill", 10, 0), callOf("kill", -1, 9), callOf("prlimit64", 13, 7)} {
		if got := says(g.Judge(c)); got != "waits" {
			t.Errorf("%s %s in the window", c.Name, got)
		}
	}
	now = someGroup()
	shut()
	if calls.released != 1 || calls.hurry {
		t.Errorf("after the window: %+v", calls)
	}
	if got := says(g.Judge(callOf("kill", 13, 9))); got != "ESRCH" {
		t.Errorf("%s after the window", got)
	}
	if shut(); calls.released != 1 {
		t.Error("a window can be shut twice")
	}
}

func TestM40_WhatWasKnownBeforeAWindowIsForgotten(t *testing.T) {
	now := someGroup()
	g := &gate{look: func() population { return now }, let: map[int]time.Time{}}
	if got := says(g.Judge(callOf("kill", 12, 9))); got != "goes on" {
		t.Fatal(got)
	}
	shut := g.open(1010) // 12 dies, and the snapshot gets its number
	now = population{hosts: map[int]int{1010: 10}, numbers: map[int]bool{10: true}, groups: map[int]bool{10: true}}
	shut()
	if got := says(g.Judge(callOf("kill", 12, 9))); got != "ESRCH" {
		t.Errorf("%s", got)
	}
	if !g.promised(12) || g.promised(10) {
		t.Error("the call before the window may still be under way, and only that one")
	}
	g.let[12] = time.Now().Add(-2 * underWay)
	if g.promised(12) {
		t.Error("a call is under way for ever")
	}
	g.open(1010)()
	if len(g.let) != 0 {
		t.Errorf("%d calls are remembered for ever", len(g.let))
	}
}

func TestM40_OneWindowsEndLeavesTheNextOpen(t *testing.T) {
	g := someGate()
	first := g.open(1010)
	second := g.open(1010)
	first()
	if got := says(g.Judge(callOf("kill", 10, 9))); got != "waits" {
		t.Errorf("%s", got)
	}
	second()
}

func TestM40_NumbersAreThoseOfTheInnermostNamespace(t *testing.T) {
	p := nobody()
	p.add(1012, "Name:\tNSpid: 9 9\nTgid:\t1011\nNStgid:\t1011\t211\t11\nNSpid:\t1012\t212\t12\nNSpgid:\t1010\t210\t10\nNSsid:\t0\t0\t0\n")
	p.add(1014, "NStgid:\t1014\t214\t14\nNSpid:\t1014\t214\t14\nNSpgid:\t5\t0\t0\n")
	p.add(1015, "NStgid:\t1015\nNSpid:\t1015\nNSpgid:\t1015\n") // no sandbox's
	for what, got := range map[string][]int{"11 12 14": slices.Sorted(maps.Keys(p.numbers)), "10": slices.Sorted(maps.Keys(p.groups))} {
		if text := fmt.Sprint(got); text != "["+what+"]" {
			t.Errorf("%s, want %s", text, what)
		}
	}
}
