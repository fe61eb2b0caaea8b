// Package footprint measures how much memory this process holds, in bytes, once
// the collector has had its say: as the kernel counts it, not the Go heap.
package footprint

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Now is what the process holds.
func Now() (int64, error) {
	debug.FreeOSMemory()
	return read("VmRSS:")
}

// Watch returns what the process holds, and a function that tells its peak since
// then. Watches at the same time disturb each other: the kernel keeps one peak.
func Watch() (now int64, peak func() (int64, error), err error) {
	if now, err = Now(); err != nil {
		return 0, nil, err
	}
	// "5" makes the kernel forget the peak so far.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, nil, fmt.Errorf("forget the peak of memory: %w", err)
	}
	return now, func() (int64, error) { return read("VmHWM:") }, nil
}

// read reads one line of this process's status.
func read(name string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read memory: %w", err)
			}
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("read memory: no line %s", name)
}
