package backendtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
)

// traces are the things that an execution could leave on the host. Counts of
// what a pool refills are compared; of the rest, every single one.
type traces struct {
	counts map[string]int
	names  map[string][]string
}

// look takes the traces of this process and of what it started.
func look() traces {
	own := family(os.Getpid())
	return traces{
		counts: map[string]int{
			"processes":      len(own),
			"control groups": countGroups(own),
			"descriptors":    len(list("/proc/self/fd")),
		},
		names: map[string][]string{
			"mount":                  lines("/proc/self/mountinfo"),
			"System V shared memory": objects("shm"),
			"System V semaphore":     objects("sem"),
			"System V queue":         objects("msg"),
			"shared memory":          list("/dev/shm"),
			"temporary file":         ours(list(os.TempDir())),
		},
	}
}

// atRest takes the traces once their counts have stood still: a pool fills in
// the background. What it holds then is what may be held after every case.
func atRest() traces {
	const still = 500 * time.Millisecond
	deadline := time.Now().Add(testkit.Scale(10 * time.Second))
	last, since := look(), time.Now()
	for time.Since(since) < still && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond) // between looks, not a bound
		if now := look(); !maps.Equal(now.counts, last.counts) {
			last, since = now, time.Now()
		}
	}
	return last
}

// settle compares until nothing is left or time is up, and says what is.
func (before traces) settle() []string {
	deadline := time.Now().Add(testkit.Scale(5 * time.Second))
	for {
		left := before.compare(look())
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
		time.Sleep(20 * time.Millisecond) // between looks, not a bound
	}
}

func (before traces) compare(now traces) []string {
	var left []string
	for what, n := range now.counts {
		if was := before.counts[what]; n > was {
			left = append(left, fmt.Sprintf("%d %s, %d before", n, what, was))
		}
	}
	for what, names := range now.names {
		for _, name := range names {
			if !slices.Contains(before.names[what], name) {
				left = append(left, what+" "+name)
			}
		}
	}
	slices.Sort(left)
	return left
}

// family is a process's descendants, and who shares their control groups.
func family(root int) []int {
	parents := make(map[int]int)
	for _, name := range list("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", name, "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[0] != "Z" {
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	var all []int
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == root {
				all = append(all, pid)
				break
			}
		}
	}
	instances := instancesOf(all)
	for pid := range parents {
		if !slices.Contains(all, pid) && pid != root && slices.ContainsFunc(instancesOf([]int{pid}), func(i string) bool {
			return slices.Contains(instances, i)
		}) {
			all = append(all, pid)
		}
	}
	return all
}

// instancesOf returns the groups cellwall/<instance> that processes are in, as
// directories below the trees' mounts.
func instancesOf(pids []int) []string {
	seen := make(map[string]bool)
	for _, pid := range pids {
		for _, line := range lines(fmt.Sprintf("/proc/%d/cgroup", pid)) {
			parts := strings.SplitN(line, ":", 3)
			if len(parts) != 3 {
				continue
			}
			before, after, found := strings.Cut(parts[2]+"/", "/cellwall/")
			instance, _, _ := strings.Cut(after, "/")
			if found && instance != "" && !strings.HasPrefix(instance, "outer-") {
				seen[before+"/cellwall/"+instance] = true
			}
		}
	}
	var all []string
	for name := range seen {
		all = append(all, name)
	}
	return all
}

// countGroups counts the groups below the family's instances in every tree.
func countGroups(pids []int) int {
	n := 0
	for _, instance := range instancesOf(pids) {
		for _, pattern := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/*"} {
			dirs, _ := filepath.Glob(pattern + instance + "/*/cgroup.procs")
			n += len(dirs)
		}
	}
	return n
}

func list(dir string) []string {
	entries, _ := os.ReadDir(dir) // what cannot be read leaves no trace to compare
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func lines(file string) []string {
	text, _ := os.ReadFile(file)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// objects lists System V objects by key and id: the rest of a line changes.
func objects(kind string) []string {
	all := lines("/proc/sysvipc/" + kind)
	for i, line := range all {
		all[i] = strings.Join(strings.Fields(line)[:min(2, len(strings.Fields(line)))], " ")
	}
	return all
}

// ours leaves out what other programs do in the same directory.
func ours(names []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "cellwall") })
}
