package native_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// below are the living descendants of root of a kind: warden, zygote, agent or
// interpreter, in the order of their numbers.
func below(root int, kind string) []int {
	parents, kinds := map[int]int{}, map[int]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		head, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(strings.Fields(head)[0])
		parents[pid], _ = strconv.Atoi(fields[1])
		if fields[0] != "Z" {
			kinds[pid] = kindOf(pid)
		}
	}
	var found []int
	for pid, is := range kinds {
		if is != kind {
			continue
		}
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == root {
				found = append(found, pid)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// kindOf tells by what a process was started with. An interpreter has the
// command line of its zygote; only the zygote is nobody's sandbox.
func kindOf(pid int) string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	switch text := string(line); {
	case strings.Contains(text, wardenVerb):
		return "warden"
	case text == "agent\x00":
		return "agent"
	case strings.Contains(text, "zygote.main()") && filters(pid) == filters(os.Getpid()):
		return "zygote"
	case strings.Contains(text, "zygote.main()"):
		return "interpreter"
	}
	return ""
}

// filters is how many filters of system calls a process is under.
func filters(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return -1
	}
	_, rest, _ := strings.Cut(string(text), "Seccomp_filters:")
	n, err := strconv.Atoi(strings.Fields(rest + " -1")[0])
	if err != nil {
		return -1
	}
	return n
}
