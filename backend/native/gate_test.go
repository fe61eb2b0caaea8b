package native

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall/linux/seccomp"
)

// The group of these tests: processes 10 and 11 of the sandbox, in one group of
// processes, the second with a thread 12, and 16, which is in a group of processes
// with a snapshot. Host numbers are 1,000 higher.
func someGroup() population {
	return population{members: map[int]standing{
		1010: {thread: 10, process: 10, family: 10}, 1011: {thread: 11, process: 11, family: 10}, 1012: {thread: 12, process: 11, family: 10},
		1016: {thread: 16, process: 16, family: 15},
	}}
}

func someGate() *gate {
	return &gate{
		count: func(population, bool) population { return someGroup() }, let: map[int]time.Time{},
		apart: func(population, bool) population {
			return population{members: map[int]standing{1015: {thread: 15, process: 15, family: 15}}}
		},
	}
}

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
	return map[syscall.Errno]string{
		syscall.EPERM: "EPERM", syscall.ESRCH: "ESRCH", syscall.EINVAL: "EINVAL", syscall.ENOSYS: "ENOSYS",
	}[a.Errno]
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
		"a thread":               {[]seccomp.Call{callOf("clone", int64(sisterly)|syscall.CLONE_THREAD)}, []string{"EPERM"}},
		"shared memory":          {[]seccomp.Call{callOf("clone", int64(sisterly)|syscall.CLONE_VM)}, []string{"EPERM"}},
		"a namespace":            {[]seccomp.Call{callOf("clone", int64(sisterly)|syscall.CLONE_NEWUSER)}, []string{"EPERM"}},
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
	g := &gate{count: func(population, bool) population { return now }, let: map[int]time.Time{}, calls: calls}
	shut := g.open(1010)
	if !calls.hurry {
		t.Error("the fork waits for the allowance of who floods")
	}
	if got := says(g.Judge(callOf("kill", 10, 0))); got != "goes on" {
		t.Errorf("%s before anybody is born: its caller may hold what the fork needs", got)
	}
	if got := says(g.Judge(callOf("clone", int64(sisterly)))); got != "goes on" {
		t.Fatalf("the fork %s", got)
	}
	now.members[1013] = standing{thread: 13, process: 13, family: 13} // in the cells' group until it is moved
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
	g := &gate{count: func(population, bool) population { return now }, let: map[int]time.Time{}}
	if got := says(g.Judge(callOf("kill", 12, 9))); got != "goes on" {
		t.Fatal(got)
	}
	shut := g.open(1010) // 12 dies, and the snapshot gets its number
	now = population{members: map[int]standing{1010: {thread: 10, process: 10, family: 10}}}
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
	g.Judge(callOf("clone", int64(sisterly)))
	first()
	if got := says(g.Judge(callOf("kill", 10, 9))); got != "waits" {
		t.Errorf("%s", got)
	}
	second()
}

func TestM40_NumbersAreThoseOfTheInnermostNamespace(t *testing.T) {
	for status, want := range map[string]standing{
		"Name:\tNSpid: 9 9\nTgid:\t1011\nNStgid:\t1011\t211\t11\nNSpid:\t1012\t212\t12\nNSpgid:\t1010\t210\t10\nNSsid:\t0\t0\t0\n": {12, 11, 10},
		"NStgid:\t1014\t214\t14\nNSpid:\t1014\t214\t14\nNSpgid:\t5\t0\t0\n":                                                        {14, 14, 0},
		"NStgid:\t1015\nNSpid:\t1015\nNSpgid:\t1015\n":                                                                             {}, // no sandbox's
		"": {},
	} {
		if got := standingOf(status); got != want {
			t.Errorf("%q: %+v, want %+v", status, got, want)
		}
	}
}

// TestM40_AGroupThatSomebodyHasJoinedIsFound looks at those who were known as
// well, when their group of processes is what is asked for.
func TestM40_AGroupThatSomebodyHasJoinedIsFound(t *testing.T) {
	var whole []bool
	g := someGate()
	g.count = func(_ population, everybody bool) population {
		whole = append(whole, everybody)
		now := someGroup()
		if everybody {
			now.members[1011] = standing{thread: 11, process: 11, family: 11}
		}
		return now
	}
	for _, c := range []seccomp.Call{callOf("kill", 11, 0), callOf("kill", -11, 0), callOf("kill", 77, 0)} {
		g.Judge(c)
	}
	if got := says(g.Judge(callOf("kill", -11, 0))); got != "goes on" {
		t.Errorf("the group of a process that made its own %s", got)
	}
	if !slices.Equal(whole, []bool{false, true, false, true}) {
		t.Errorf("the group was looked at as a whole: %v", whole)
	}
}
