package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestServe_memory_is_what_the_machine_and_the_groups_allow(t *testing.T) {
	const total = "MemTotal:  2000 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is known": {nil, math.MaxInt64},
		"a machine":        {map[string]string{"proc/meminfo": total}, 2000 << 10},
		"a unit with a slice": {map[string]string{
			"proc/meminfo": total, "proc/self/cgroup": "0::/a.slice/b.service\n",
			"sys/fs/cgroup/a.slice/b.service/memory.max": "900000\n", "sys/fs/cgroup/a.slice/memory.max": "800000\n",
		}, 800_000},
		"without a limit": {map[string]string{
			"proc/meminfo": total, "proc/self/cgroup": "0::/a.slice\n", "sys/fs/cgroup/a.slice/memory.max": "max\n",
		}, 2000 << 10},
		"a container of the first version": {map[string]string{
			"proc/meminfo": total, "proc/self/cgroup": "9:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "700000\n",
		}, 700_000},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := memoryOf(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
