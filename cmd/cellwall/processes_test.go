package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// process is one, whoever has its number later.
type process struct {
	pid   int
	began string
}

// livingProcesses lists every process with its parent.
func livingProcesses() map[process]int {
	all := map[process]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, began, ok := statOf(pid); ok {
			all[process{pid, began}] = parent
		}
	}
	return all
}

func statOf(pid int) (parent int, began string, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[19], err == nil
}

// descendants are the processes below pid.
func descendants(pid int) (list []process) {
	all := livingProcesses()
	below := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for p, parent := range all {
			if below[parent] && !below[p.pid] {
				below[p.pid], grown = true, true
				list = append(list, p)
			}
		}
	}
	return list
}

func alive(p process) bool {
	_, began, ok := statOf(p.pid)
	return ok && began == p.began
}

// checkNothingLeft holds a host to what it was before a service of this state
// directory: no groups, no mounts, no files on their way.
func checkNothingLeft(t *testing.T, state string) {
	t.Helper()
	var s syscall.Stat_t
	if err := syscall.Stat(state, &s); err != nil {
		t.Fatal(err)
	}
	home := fmt.Sprintf("native-%x-%x-*", s.Dev, s.Ino)
	for _, pattern := range []string{
		"/sys/fs/cgroup/cellwall/" + home, "/sys/fs/cgroup/*/cellwall/" + home,
		filepath.Join(state, "spool", "*"), filepath.Join(state, "blobs", "incoming", "*"), filepath.Join(state, socketName),
	} {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			t.Errorf("left behind: %q, %v", found, err)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mounts), state) {
		t.Errorf("mounts are left behind:\n%s", mounts)
	}
}
