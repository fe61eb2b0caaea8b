package cgroup

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
)

func empty(t *testing.T, g *Group) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(20*time.Second))
	defer cancel()
	if err := g.Empty(ctx); err != nil {
		t.Fatal(err)
	}
}

// A group serves again after Empty: same limits, and what Empty refused itself
// counts as nobody's.
func TestEmptyLeavesTheGroupAsItWas(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "again", Limits{MemoryBytes: 256 * mib, Processes: 64})
	for round := range int64(3) {
		cmd, out := startAgain(t, g, "bomb", 0)
		out.next(t)
		before := eventually(t, g, func(e Events) bool { return e.PIDsMax > 0 })
		empty(t, g)
		if busy, err := g.Populated(); busy || err != nil {
			t.Fatalf("round %d: populated %v (%v) after Empty", round, busy, err)
		}
		after, err := g.Events()
		if err != nil || after.PIDsMax < before.PIDsMax {
			t.Fatalf("round %d: events %+v (%v), and %+v before Empty: the count was lost", round, after, err, before)
		}
		if quiet, err := g.Events(); err != nil || quiet != after {
			t.Fatalf("round %d: events %+v (%v), then %+v, and nobody was there", round, after, err, quiet)
		}
		_ = cmd.Wait()
		buried(t, g)
	}
	_, out := startAgain(t, g, "fork", 100)
	if got := out.next(t); !strings.HasPrefix(got, "true") {
		t.Fatalf("after Empty fork said %q, want EAGAIN: the limit is gone", got)
	}
}

// buried waits until whoever inherits the dead has reaped them: until then they
// count.
func buried(t *testing.T, g *Group) {
	t.Helper()
	for end := time.Now().Add(testkit.Scale(20 * time.Second)); ; time.Sleep(2 * time.Millisecond) {
		n, err := g.at(PIDs).read(g.name + "/pids.current")
		if err != nil {
			t.Fatal(err)
		}
		if n == "0\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s dead were not reaped", n)
		}
	}
}

func TestEmptyOpensAGroupWithoutLimitAgain(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "open", Limits{})
	start(t, g, "hold", mib)
	empty(t, g)
	_, out := startAgain(t, g, "fork", 40)
	if got := out.next(t); got != "never refused\n" {
		t.Fatalf("after Empty fork said %q, want that nothing was refused", got)
	}
}

func TestResetPeakCountsAnew(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "peak", Limits{MemoryBytes: 256 * mib})
	cmd, _ := start(t, g, "touch", 96*mib)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	first, err := g.Usage()
	if err != nil || first.MemoryPeak < 90*mib {
		t.Fatalf("usage %+v (%v), want a peak of 96 MiB", first, err)
	}
	for range 2 {
		if err := g.ResetPeak(); err != nil {
			t.Fatal(err)
		}
		u, err := g.Usage()
		if g.inst.h.Version == V2 && (!g.peakReset || u.MemoryPeak == first.MemoryPeak) {
			t.Skip("skip, proof: memory.peak cannot be reset on this kernel (since 6.12)")
		}
		if err != nil || u.MemoryPeak > 48*mib {
			t.Fatalf("usage %+v (%v), want a peak that was forgotten", u, err)
		}
	}
}

func TestMoveInChangesWhereAProcessIs(t *testing.T) {
	i := newInstance(t, detect(t))
	from, to := newGroup(t, i, "from", Limits{Processes: 8}), newGroup(t, i, "to", Limits{Processes: 8})
	cmd := idle(i.h)
	if err := startInside(from, cmd); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer cmd.Wait()
	defer cmd.Process.Kill()
	where := func(g *Group) bool {
		t.Helper()
		in, err := g.Has(pid)
		if err != nil {
			t.Fatal(err)
		}
		members, err := g.Members()
		if err != nil {
			t.Fatal(err)
		}
		if listed := slices.Contains(members, pid); listed != in {
			t.Errorf("Has says %v of %d, Members %v", in, pid, members)
		}
		return in
	}
	if !where(from) || where(to) {
		t.Fatal("a process that was born in a group is elsewhere")
	}
	if err := to.MoveIn(pid); err != nil {
		t.Fatal(err)
	}
	if where(from) || !where(to) {
		t.Fatal("a process that was moved stayed")
	}
	empty(t, from)
	if where(from) || !where(to) {
		t.Fatal("Empty reached into another group")
	}
}

func TestARestingGroupHoldsNoDescriptorAndStillAnswers(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "rest", Limits{MemoryBytes: 256 * mib, Processes: 64})
	cmd, _ := start(t, g, "touch", 16*mib)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	before, err := g.Usage()
	if err != nil || len(g.held) == 0 {
		t.Fatalf("usage %+v (%v) by %d descriptors", before, err, len(g.held))
	}
	g.Rest()
	if len(g.held) != 0 {
		t.Errorf("%d descriptors are held", len(g.held))
	}
	if after, err := g.Usage(); err != nil || after.MemoryPeak != before.MemoryPeak {
		t.Errorf("usage %+v (%v), want that of before, %+v", after, err, before)
	}
}
