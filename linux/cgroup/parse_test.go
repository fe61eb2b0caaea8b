package cgroup

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestParseFlat(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]int64 // nil: an error
	}{
		{"V1OOMControl", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", map[string]int64{"oom_kill_disable": 0, "under_oom": 0, "oom_kill": 2}},
		{"V2MemoryEvents", "low 0\nhigh 0\nmax 31\noom 1\noom_kill 3\noom_group_kill 1\n", map[string]int64{"low": 0, "high": 0, "max": 31, "oom": 1, "oom_kill": 3, "oom_group_kill": 1}},
		{"PIDsEvents", "max 12\n", map[string]int64{"max": 12}},
		{"V1CPUStat", "nr_periods 5\nnr_throttled 4\nthrottled_time 123456789\n", map[string]int64{"nr_periods": 5, "nr_throttled": 4, "throttled_time": 123456789}},
		{"Empty", "", map[string]int64{}},
		{"NoFinalNewline", "max 1", map[string]int64{"max": 1}},
		{"NoValue", "max\n", nil},
		{"Text", "max many\n", nil},
		{"Negative", "max -1\n", nil},
		{"Nested", "8:0 rbytes=1\n", nil},
		{"NoKey", " 1\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseFlat(tc.text)
			if (err != nil) != (tc.want == nil) || tc.want != nil && !maps.Equal(got, tc.want) {
				t.Fatalf("got %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]int64{
		"0\n": 0, "9223372036854771712\n": 9223372036854771712, "max\n": -1, "18446744073709551615\n": math.MaxInt64,
	} {
		if got, err := parseNumber(text); err != nil || got != want {
			t.Errorf("%q = %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-5", "1 2", "0x1", "18446744073709551616"} {
		if got, err := parseNumber(text); err == nil {
			t.Errorf("%q = %d, want an error", text, got)
		}
	}
}

func TestParsePIDsRefusesWhatCannotBeAddressed(t *testing.T) {
	if got, err := parsePIDs("1\n23\n"); err != nil || !slices.Equal(got, []int{1, 23}) {
		t.Errorf("got %v (%v)", got, err)
	}
	for _, text := range []string{"0\n", "-1\n", "x\n", "99999999999\n"} {
		if got, err := parsePIDs(text); err == nil {
			t.Errorf("%q = %v, want an error: kill(0) and kill(-1) hit others", text, got)
		}
	}
}

const (
	mountsV1 = `24 27 0:6 / /dev rw,relatime - devtmpfs devtmpfs rw,size=1k
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
	mountsContainer = `612 590 0:32 /docker/ab\040c /sys/fs/cgroup/memory ro,nosuid master:15 - cgroup cgroup rw,memory` + "\n"
	memberV1        = "12:cpu,cpuacct:/user.slice\n5:memory:/a/b\n1:name=systemd:/init.scope\n0::/\n"
)

func TestParseMountinfo(t *testing.T) {
	got, err := parseMountinfo(mountsV1)
	want := []mount{
		{root: "/", point: "/sys/fs/cgroup/memory", options: []string{"rw", "memory"}},
		{root: "/", point: "/sys/fs/cgroup/cpu,cpuacct", options: []string{"rw", "cpu", "cpuacct"}},
		{root: "/", point: "/sys/fs/cgroup/unified", v2: true, options: []string{"rw"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v (%v), want %+v", got, err, want)
	}
	for _, text := range []string{"1 2 3\n", "35 31 0:32 / /x rw - cgroup\n", "35 31 0:32 x /x rw - cgroup cgroup rw\n"} {
		if got, err := parseMountinfo(text); err == nil {
			t.Errorf("%q = %+v, want an error", text, got)
		}
	}
}

func TestMountShowsOnlyWhatIsBelowItsRoot(t *testing.T) {
	mounts, err := parseMountinfo(mountsContainer)
	if err != nil {
		t.Fatal(err)
	}
	for group, want := range map[string]string{
		"/docker/ab c": "/sys/fs/cgroup/memory", "/docker/ab c/x": "/sys/fs/cgroup/memory/x",
		"/docker/ab cd": "", "/": "", "/docker": "",
	} {
		if got := mounts[0].dir(group); got != want {
			t.Errorf("dir(%q) = %q, want %q", group, got, want)
		}
	}
}

func TestParseMembership(t *testing.T) {
	got, err := parseMembership(memberV1)
	want := map[string]string{"cpu": "/user.slice", "cpuacct": "/user.slice", "memory": "/a/b", "": "/"}
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("got %v (%v), want %v", got, err, want)
	}
	if got, err := parseMembership("0::/with:colon\n"); err != nil || got[""] != "/with:colon" {
		t.Errorf("a path may have colons: got %v (%v)", got, err)
	}
	for _, text := range []string{"0:/\n", "x::/\n", "0::rel\n", ":\n"} {
		if got, err := parseMembership(text); err == nil {
			t.Errorf("%q = %v, want an error", text, got)
		}
	}
}

func FuzzParseFlat(f *testing.F) {
	f.Add("max 31\noom_kill 3\n")
	f.Add("max 18446744073709551615\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseFlat(text)
		for key, n := range values {
			if err == nil && (key == "" || n < -1) {
				t.Fatalf("accepted %q = %d", key, n)
			}
		}
	})
}

func FuzzParseMountinfo(f *testing.F) {
	f.Add(mountsV1, "/a")
	f.Add(mountsContainer, "/docker/ab c/x")
	f.Fuzz(func(t *testing.T, text, group string) {
		mounts, err := parseMountinfo(text)
		if err != nil {
			return
		}
		for _, m := range mounts {
			if m.point == "" || m.point[0] != '/' {
				t.Fatalf("mount point %q", m.point)
			}
			m.dir(group)
		}
	})
}

func FuzzParseMembership(f *testing.F) {
	f.Add(memberV1)
	f.Fuzz(func(t *testing.T, text string) {
		member, err := parseMembership(text)
		for name, where := range member {
			if err == nil && where[0] != '/' {
				t.Fatalf("controller %q at %q", name, where)
			}
		}
	})
}
