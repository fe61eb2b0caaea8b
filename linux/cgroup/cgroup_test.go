package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/delegate"
	"github.com/cellwall/cellwall/internal/testkit"
)

const mib = 1 << 20

func TestM16_MemoryLimitKillsAndIsCounted(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "hog", Limits{MemoryBytes: 48 * mib, Processes: 64})
	cmd, _ := start(t, g, "touch", 256*mib)
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the hog ended with %v, want SIGKILL", err)
	}
	e, err := g.Events()
	if err != nil || e.OOMKills < 1 {
		t.Fatalf("events %+v (%v), want OOMKills > 0", e, err)
	}
	u, err := g.Usage()
	if err != nil || u.MemoryPeak < 40*mib || u.MemoryPeak > 49*mib { // the kernel forces a few pages in
		t.Fatalf("usage %+v (%v), want a peak of about 48 MiB", u, err)
	}
}

func TestM16_SignalIsNotTakenForMemoryLimit(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "killed", Limits{MemoryBytes: 128 * mib, Processes: 64})
	cmd, out := start(t, g, "hold", 16*mib)
	out.next(t)
	cmd.Process.Kill()
	cmd.Wait()
	if e, err := g.Events(); err != nil || e != (Events{}) {
		t.Fatalf("events %+v (%v), want none", e, err)
	}
	u, err := g.Usage()
	if err != nil || u.MemoryPeak < 16*mib || u.CPU <= 0 || u.ProcessesPeak == 0 {
		t.Fatalf("usage %+v (%v), want 16 MiB, some time and processes", u, err)
	}
}

func TestCPUIsThatOfUsageAndLeavesNothingOpen(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "asked", Limits{Processes: 64})
	_, out := start(t, g, "hold", mib)
	out.next(t)
	kill(t, g)
	u, err := g.Usage()
	if err != nil {
		t.Fatal(err)
	}
	open := len(g.held)
	if spent, err := g.CPU(); err != nil || spent < u.CPU || spent <= 0 || len(g.held) != open {
		t.Errorf("%v of %v (%v), %d files are open, %d before", spent, u.CPU, err, len(g.held), open)
	}
	g.Rest()
	if spent, err := g.CPU(); err != nil || spent < u.CPU || len(g.held) != 0 {
		t.Errorf("at rest %v of %v (%v), %d files are open", spent, u.CPU, err, len(g.held))
	}
}

func TestM16_ProcessLimitRefusesAndIsCounted(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "forks", Limits{MemoryBytes: 256 * mib, Processes: 24})
	_, out := start(t, g, "fork", 100)
	if got := out.next(t); !strings.HasPrefix(got, "true") {
		t.Fatalf("fork said %q, want EAGAIN", got)
	}
	e := eventually(t, g, func(e Events) bool { return e.PIDsMax > 0 })
	u, err := g.Usage()
	if err != nil || u.ProcessesPeak > 24 {
		t.Fatalf("usage %+v (%v), want at most 24 processes", u, err)
	}
	kill(t, g)
	if after, err := g.Events(); err != nil || after.PIDsMax < e.PIDsMax {
		t.Fatalf("events after Kill %+v (%v), before %+v: the count was lost", after, err, e)
	}
}

func TestM16_ProcessorLimitThrottles(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "spin", Limits{Processes: 64, CPUs: 0.2})
	start(t, g, "spin", 0)
	eventually(t, g, func(e Events) bool { return e.Throttled > 0 && e.ThrottledFor > 0 })
}

func TestKillOutrunsAForkBomb(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "bomb", Limits{MemoryBytes: 256 * mib, Processes: 64, CPUs: 1})
	_, out := start(t, g, "bomb", 0)
	out.next(t)
	eventually(t, g, func(e Events) bool { return e.PIDsMax > 0 })
	kill(t, g)
	if busy, err := g.Populated(); busy || err != nil {
		t.Fatalf("populated %v (%v) after Kill", busy, err)
	}
}

func TestKillReachesGroupsBelow(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "session", Limits{MemoryBytes: 256 * mib, Processes: 64})
	for _, d := range g.inst.dirs {
		if err := d.mkdir("session/run"); err != nil {
			t.Fatal(err)
		}
	}
	below := &Group{inst: g.inst, name: "session/run", held: map[string]int{}, leaf: -1, refused: -1}
	cmd, out := start(t, below, "hold", mib)
	out.next(t)
	if busy, err := g.Populated(); !busy || err != nil {
		t.Fatalf("populated %v (%v), want true through the group below", busy, err)
	}
	kill(t, g)
	cmd.Wait()
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestKillGivesUpWithItsContext(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "gone", Limits{Processes: 64})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Kill(ctx); err != nil {
		t.Fatalf("empty group: %v, want nil at once", err)
	}
}

func TestChildJoinsThroughFiles(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "join", Limits{MemoryBytes: 256 * mib, Processes: 64})
	files, err := g.JoinFiles()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=join", fmt.Sprintf("%s_N=%d", roleVariable, len(files)))
	cmd.ExtraFiles = files
	out, err := cmd.CombinedOutput()
	for _, f := range files {
		f.Close()
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	member, err := parseMembership(string(out))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range g.inst.spots(g.name) {
		if member[s.key] != s.shown {
			t.Errorf("tree %q: child is in %q, want %q", s.key, member[s.key], s.shown)
		}
	}
}

func TestLimitsNarrowAndWiden(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "change", Limits{MemoryBytes: 64 * mib, Processes: 64, CPUs: 2})
	for _, l := range []Limits{{MemoryBytes: 128 * mib}, {MemoryBytes: 32 * mib, CPUs: 0.5}, {Processes: 8}} {
		if err := g.SetLimits(l); err != nil {
			t.Fatalf("%+v: %v", l, err)
		}
	}
	want := map[string]string{
		"memory.limit_in_bytes": "33554432", "memory.memsw.limit_in_bytes": "33554432",
		"pids.max": "8", "cpu.cfs_quota_us": "50000",
	}
	if g.inst.h.Version == V2 {
		want = map[string]string{"memory.max": "33554432", "memory.oom.group": "1", "pids.max": "8", "cpu.max": "50000 100000"}
	}
	for file, value := range want {
		controller, _, _ := strings.Cut(file, ".")
		if file == "memory.memsw.limit_in_bytes" && !g.inst.memsw {
			continue
		}
		if got, err := g.at(controller).read("change/" + file); err != nil || strings.TrimSpace(got) != value {
			t.Errorf("%s = %q (%v), want %s", file, got, err, value)
		}
	}
	if got := g.Limits(); got != (Limits{MemoryBytes: 32 * mib, Processes: 8, CPUs: 0.5}) {
		t.Errorf("Limits() = %+v", got)
	}
}

func TestWeightIsThatOfTheGroup(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "light", Limits{CPUs: 1})
	if err := g.SetWeight(64); err != nil {
		t.Fatal(err)
	}
	file, want := "light/cpu.shares", "64"
	if g.inst.h.Version == V2 {
		file, want = "light/cpu.weight", "6"
	}
	if got, err := g.at(CPU).read(file); err != nil || strings.TrimSpace(got) != want {
		t.Errorf("%s = %q (%v), want %s", file, got, err, want)
	}
	for _, wrong := range []int{-1, 0, 1, MostWeight + 1} {
		if err := g.SetWeight(wrong); err == nil {
			t.Errorf("a weight of %d was taken", wrong)
		}
	}
}

func TestNarrowingBelowUseIsRefusedAndKillsNobody(t *testing.T) {
	g := newGroup(t, newInstance(t, detect(t)), "inuse", Limits{MemoryBytes: 256 * mib, Processes: 64})
	_, out := start(t, g, "hold", 96*mib)
	out.next(t)
	if err := g.SetLimits(Limits{MemoryBytes: 32 * mib}); !errors.Is(err, ErrInUse) {
		t.Fatalf("narrowing: %v, want ErrInUse", err)
	}
	if busy, err := g.Populated(); !busy || err != nil {
		t.Fatalf("populated %v (%v): the process is gone", busy, err)
	}
	if e, err := g.Events(); err != nil || e.OOMKills != 0 {
		t.Fatalf("events %+v (%v)", e, err)
	}
}

func TestLimitWithoutControllerIsRefused(t *testing.T) {
	h := Hierarchy{Version: V1, Controllers: []Controller{{Name: Memory, Reason: "not here", Hint: "do that"}}}
	i := &Instance{h: h}
	_, err := i.New("x", Limits{MemoryBytes: mib})
	var ce *ControllerError
	if !errors.Is(err, ErrUnavailable) || !errors.As(err, &ce) || ce.Hint != "do that" {
		t.Fatalf("error %v, want ErrUnavailable with the hint", err)
	}
}

func TestNamesAreNoPaths(t *testing.T) {
	i := newInstance(t, detect(t))
	for _, name := range []string{"", ".", "..", "a/b", "../x", "memory.max", "a b", "ü", "x\n", strings.Repeat("a", 65)} {
		if _, err := i.New(name, Limits{}); err == nil {
			t.Errorf("group %q was made", name)
		}
		if _, err := NewInstance(i.h, name); err == nil {
			t.Errorf("instance %q was made", name)
		}
	}
}

func TestGroupNameMustBeNew(t *testing.T) {
	i := newInstance(t, detect(t))
	newGroup(t, i, "one", Limits{})
	if _, err := i.New("one", Limits{}); !errors.Is(err, unix.EEXIST) {
		t.Fatalf("second group of the name: %v, want EEXIST", err)
	}
	if !i.dirs[0].exists("one") {
		t.Fatal("the refused second group removed the first")
	}
}

func TestUnprivilegedInADelegatedGroup(t *testing.T) {
	base := "/delegated-" + t.Name()
	child := asNobody()
	if !testkit.InChild(t) {
		testkit.RequireRoot(t)
		giveGroups(t, detect(t), base, child)
	}
	testkit.RunInSubprocess(t, child,
		func(t *testing.T) { unprivileged(t, base) })
}

func kill(t testing.TB, g *Group) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(20*time.Second))
	defer cancel()
	if err := g.Kill(ctx); err != nil {
		t.Fatal(err)
	}
}

// giveGroups gives nobody a group of its own in each tree, until the test ends. On
// version 2 the child is born there.
func giveGroups(t *testing.T, h Hierarchy, base string, child *syscall.SysProcAttr) {
	t.Helper()
	if h.Version == V2 {
		dir := h.trees[0].mount.dir(base)
		t.Cleanup(func() {
			if err := errors.Join(os.Remove(path.Join(dir, selfLeaf)), os.Remove(dir)); err != nil {
				t.Error(err)
			}
		})
		group, err := delegate.Group(dir, 65534)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { group.Close() })
		child.UseCgroupFD, child.CgroupFD = true, int(group.Fd())
		return
	}
	for _, tr := range h.trees {
		dir := tr.mount.dir(base)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
		})
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
}
