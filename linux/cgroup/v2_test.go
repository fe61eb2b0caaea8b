package cgroup

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/internal/testkit"
)

// unified is the real v2 tree of this host, whatever controllers it has.
func unified(t *testing.T) Hierarchy {
	t.Helper()
	testkit.RequireRoot(t)
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := parseMountinfo(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mounts {
		if m.v2 {
			return Hierarchy{Version: V2, trees: []tree{{mount: m, base: m.root}}}
		}
	}
	t.Skipf("skip, proof: no cgroup2 mount among %+v", mounts)
	return Hierarchy{}
}

func TestV2CloneIntoKillAndRemove(t *testing.T) {
	g := newGroup(t, newInstance(t, unified(t)), "real", Limits{})
	cmd, out := start(t, g, "hold", mib)
	out.next(t)
	if busy, err := g.Populated(); !busy || err != nil {
		t.Fatalf("populated %v (%v), want true", busy, err)
	}
	if u, err := g.Usage(); err != nil || u.CPU <= 0 || u.Memory != -1 || u.MemoryPeak != -1 {
		t.Errorf("usage %+v (%v), want time, and -1 for what has no controller", u, err)
	}
	g.Rest()
	if spent, err := g.CPU(); err != nil || spent <= 0 || len(g.held) != 0 {
		t.Errorf("%v of processor time (%v), %d files are open; want some and none", spent, err, len(g.held))
	}
	kill(t, g)
	cmd.Wait()
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Usage(); err == nil {
		t.Error("a removed group still answers")
	}
}

// After Empty a group of version 2 serves those who enter by themselves.
func TestV2EmptiedGroupIsEntered(t *testing.T) {
	g := newGroup(t, newInstance(t, unified(t)), "again", Limits{})
	for range 3 {
		cmd, out := startAgain(t, g, "hold", mib)
		out.next(t)
		if in, err := g.Members(); err != nil || !slices.Contains(in, cmd.Process.Pid) {
			t.Errorf("members %v (%v), want %d", in, err, cmd.Process.Pid)
		}
		empty(t, g)
		cmd.Wait()
	}
}

// Who is not root clones into a group only when he was let, and only from a
// group of the same instance.
func TestV2AdmittedUserIsBornInGroups(t *testing.T) {
	for _, tc := range []struct {
		name           string
		admit, outside bool
		want           string
	}{
		{name: "Admitted", admit: true, want: "<nil>"},
		{name: "NotAdmitted", want: "permission denied"},
		{name: "FromOutside", admit: true, outside: true, want: "permission denied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := newInstance(t, unified(t))
			if tc.admit {
				if err := i.Admit(65534); err != nil {
					t.Fatal(err)
				}
			}
			home, target := newGroup(t, i, "home", Limits{}), newGroup(t, i, "target", Limits{})
			fd, err := target.FD()
			if err != nil {
				t.Fatal(err)
			}
			if fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err != nil {
				t.Fatal(err)
			}
			group := os.NewFile(uintptr(fd), "group")
			defer group.Close()
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), roleVariable+"=born", roleVariable+"_N=0")
			cmd.ExtraFiles = []*os.File{group}
			cmd.SysProcAttr = asNobody()
			if !tc.outside {
				if cmd.SysProcAttr.CgroupFD, err = home.FD(); err != nil {
					t.Fatal(err)
				}
				cmd.SysProcAttr.UseCgroupFD = true
			}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), tc.want) {
				t.Errorf("cloning into the group: %q (%v), want %s", out, err, tc.want)
			}
		})
	}
}

func TestV2LimitsForReal(t *testing.T) {
	h := unified(t)
	offered, err := os.ReadFile(path.Join(h.trees[0].dir(), "cgroup.controllers"))
	if err != nil {
		t.Fatal(err)
	}
	if !has(string(offered), Memory) {
		t.Skipf("skip, proof: the v2 tree offers only %q; the other tests run on v1", strings.TrimSpace(string(offered)))
	}
	if got := detect(t).Version; got != V2 {
		t.Fatalf("version %v, want v2: the other tests do not cover it", got)
	}
}

// fakeTree is a directory that looks like a v2 tree to what only reads, and takes
// what is written.
func fakeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(path.Join(root, path.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func readFake(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestDetectV2(t *testing.T) {
	control := func(dir, offered string) map[string]string {
		return map[string]string{dir + "/cgroup.procs": "", dir + "/cgroup.subtree_control": "", dir + "/cgroup.controllers": offered}
	}
	for _, tc := range []struct {
		name, member, base string
		root               bool
		files              map[string]string
		want               string // base below the mount, "" when unusable
		reason             string
	}{
		{name: "RootTakesTheRoot", member: "/user.slice", root: true, files: control(".", "cpu memory pids\n"), want: "/"},
		{name: "UserTakesItsDelegatedGroup", member: "/u/own", files: control("u/own", "cpu memory pids\n"), want: "/u/own"},
		{name: "SecondProcessFindsTheFirstsBase", member: "/u/own/cellwall.self", files: control("u/own", "cpu memory pids\n"), want: "/u/own"},
		{name: "AskedBaseWins", member: "/u/own", base: "/given", root: true, files: control("given", "cpu memory pids\n"), want: "/given"},
		{name: "RootMayStayInItsUnit", member: "/u/own", base: "self", root: true, files: control("u/own", "cpu memory pids\n"), want: "/u/own"},
		{name: "AskedBaseIsNotReplaced", member: "/u/own", base: "/given", files: control("u/own", "cpu memory pids\n"), reason: "no such file"},
		{name: "ControllerNotDelegated", member: "/u/own", files: control("u/own", "memory pids\n"), want: "/u/own", reason: "offers only: memory pids"},
		{name: "NotDelegated", member: "/u", files: map[string]string{"u/x": ""}, reason: "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := fakeTree(t, tc.files)
			h, err := host{
				mountinfo:  "41 31 0:38 / " + root + " rw - cgroup2 cgroup2 rw\n",
				membership: "0::" + tc.member + "\n", root: tc.root, base: tc.base,
			}.detect()
			if err != nil {
				t.Fatal(err)
			}
			c := h.Controller(CPU)
			if m := h.Controller(Memory); tc.want != "" && (h.Version != V2 || m.Base != path.Join(root, tc.want)) {
				t.Errorf("memory %+v, want base %s", m, tc.want)
			}
			if !strings.Contains(c.Reason, tc.reason) || (tc.reason == "") != c.OK || !c.OK && c.Hint == "" {
				t.Errorf("cpu %+v, want reason %q", c, tc.reason)
			}
		})
	}
}

func TestHybridHostExplainsItselfByTheTreeThatHasTheControllers(t *testing.T) {
	h, err := host{
		mountinfo:  "35 31 0:32 / /nowhere/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /nowhere/unified rw - cgroup2 cgroup2 rw\n",
		membership: "4:memory:/\n0::/\n", root: true,
	}.detect()
	if c := h.Controller(Memory); err != nil || h.Version != None || !strings.Contains(c.Reason, "/nowhere/memory") {
		t.Errorf("memory %+v (%v), want the reason of the v1 tree", c, err)
	}
}

func TestDetectRefusesABaseThatIsNoPath(t *testing.T) {
	for _, base := range []string{"relative", "/a/../b", "/a/"} {
		if h, err := (host{base: base}).detect(); err == nil {
			t.Errorf("base %q gave %+v", base, h)
		}
	}
}

func TestV2ControllersAreHandedDownOnce(t *testing.T) {
	root := fakeTree(t, map[string]string{"cgroup.subtree_control": "memory\n"})
	d, err := openDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err := handDown(d, []string{Memory, PIDs, CPU}); err != nil {
		t.Fatal(err)
	}
	if got := readFake(t, root, "cgroup.subtree_control"); got != "+pids +cpu" {
		t.Errorf("wrote %q, want what was missing only", got)
	}
}

// fakeGroup is a v2 group over fixture files.
func fakeGroup(t *testing.T, files map[string]string) (*Group, string) {
	t.Helper()
	all := make(map[string]string)
	for name, text := range files {
		all["g/"+name] = text
	}
	root := fakeTree(t, all)
	d, err := openDir(root)
	if err != nil {
		t.Fatal(err)
	}
	h := Hierarchy{Version: V2, trees: []tree{{controllers: []string{Memory, PIDs, CPU}}}}
	for _, name := range []string{Memory, PIDs, CPU} {
		h.Controllers = append(h.Controllers, Controller{Name: name, OK: true})
	}
	g := &Group{inst: &Instance{h: h, dirs: []dir{d}, memsw: true}, name: "g", held: map[string]int{}, leaf: -1, refused: -1}
	t.Cleanup(func() { g.Remove(t.Context()); d.close() })
	return g, root
}

func TestV2ProcessesThatAreStrangersDieOneByOne(t *testing.T) {
	g, root := fakeGroup(t, map[string]string{"memory.max": "", "memory.swap.max": "", "memory.oom.group": "0\n", "memory.current": "0\n"})
	if err := g.SetLimits(Limits{MemoryBytes: 1 << 20, OneByOne: true}); err != nil {
		t.Fatal(err)
	}
	if got := readFake(t, root, "g/memory.oom.group"); got != "0" {
		t.Errorf("memory.oom.group = %q", got)
	}
}

func TestV2LimitsWriteEveryFile(t *testing.T) {
	g, root := fakeGroup(t, map[string]string{
		"memory.max": "", "memory.swap.max": "", "memory.oom.group": "",
		"memory.current": "4096\n", "pids.max": "", "cpu.max": "",
	})
	if err := g.SetLimits(Limits{MemoryBytes: 1 << 29, Processes: 64, CPUs: 1.5}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"memory.max": "536870912", "memory.swap.max": "0",
		"memory.oom.group": "1", "pids.max": "64", "cpu.max": "150000 100000",
	} {
		if got := readFake(t, root, "g/"+file); got != want {
			t.Errorf("%s = %q, want %q", file, got, want)
		}
	}
	if err := g.SetLimits(Limits{MemoryBytes: 1024}); !errors.Is(err, ErrInUse) {
		t.Errorf("narrowing below use: %v, want ErrInUse", err)
	}
	if got := readFake(t, root, "g/memory.max"); got != "536870912" {
		t.Errorf("memory.max = %q was written although refused: the kernel would have killed", got)
	}
}

func TestV2WeightIsWrittenInTheKernelsMeasure(t *testing.T) {
	for weight, want := range map[int]string{MostWeight: "6400", FullWeight: "100", FullWeight / 2: "50", 2: "1"} {
		g, root := fakeGroup(t, map[string]string{"cpu.weight": ""})
		if err := g.SetWeight(weight); err != nil {
			t.Fatal(err)
		}
		if got := readFake(t, root, "g/cpu.weight"); got != want {
			t.Errorf("weight %d is %q in cpu.weight, want %s", weight, got, want)
		}
	}
}

func TestV2EventsAndUsage(t *testing.T) {
	g, _ := fakeGroup(t, map[string]string{
		"memory.events": "low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n", "memory.current": "10\n",
		"pids.events": "max 4\n", "pids.peak": "7\n",
		"cpu.stat": "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 3\nnr_throttled 2\nthrottled_usec 40\n",
	})
	e, err := g.Events()
	if want := (Events{OOMKills: 3, OOMGroupKills: 1, PIDsMax: 4, Throttled: 2, ThrottledFor: 40_000}); err != nil || e != want {
		t.Errorf("events %+v (%v), want %+v", e, err, want)
	}
	u, err := g.Usage()
	if want := (Usage{CPU: 1_500_000, Memory: 10, MemoryPeak: -1, ProcessesPeak: 7}); err != nil || u != want {
		t.Errorf("usage %+v (%v), want %+v: no memory.peak before 5.19", u, err, want)
	}
}
