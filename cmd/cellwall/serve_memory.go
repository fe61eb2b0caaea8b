package main

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// serveMemory is what the service's own memory is held to before the collector waits
// no longer for gcPercent: three times what bodies may take together, for as they
// come, as they are decoded, and for everything else. Bodies that come and go took
// twice as much without it, at the same processor time. It is a bound that gives way:
// what is needed beyond is had, for more collections.
const serveMemory = 768 * cellwall.MiB

// holdMemory sets it, unless the operator has (GOMEMLIMIT).
func holdMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(serveMemory, memoryOf("/")/2))
	}
}

// memoryOf is what this process may use of the machine whose files are below root:
// what there is, or what its control groups allow.
func memoryOf(root string) int64 {
	most := int64(math.MaxInt64)
	if kb, err := sumKB(filepath.Join(root, "proc/meminfo"), "MemTotal:"); err == nil && kb > 0 {
		most = kb << 10
	}
	raw, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // without control groups all of the machine's
	for line := range strings.Lines(string(raw)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		switch controllers {
		case "":
			most = min(most, allowed(filepath.Join(root, "sys/fs/cgroup"), group, "memory.max"))
		case "memory":
			most = min(most, allowed(filepath.Join(root, "sys/fs/cgroup/memory"), group, "memory.limit_in_bytes"))
		}
	}
	return most
}

// allowed is the least that the file says of a control group and those above it. A
// group that is not to be seen from here, as in a container, has those that are.
func allowed(tree, group, file string) int64 {
	least := int64(math.MaxInt64)
	for at := path.Join("/", group); ; at = path.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(tree, at, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // not max
				least = min(least, n)
			}
		}
		if at == "/" {
			return least
		}
	}
}
