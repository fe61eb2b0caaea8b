package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// idle measures the private memory of a sandbox that waits for code: the
// private pages and page tables of all its processes.
func (b *bench) idle(ctx context.Context) error {
	open := func() (cellwall.Sandbox, error) {
		return b.cold.backend.Open(ctx, cellwall.Spec{Environment: b.env, Limits: cellwall.DefaultLimits()})
	}
	first, err := open() // so that the zygote of this house is there already
	if err != nil {
		return err
	}
	defer first.Close()
	if err := b.filled(ctx); err != nil {
		return err
	}
	before := processes()
	sandbox, err := open()
	if err != nil {
		return err
	}
	defer sandbox.Close()
	time.Sleep(100 * time.Millisecond) // until it is idle
	var total, count int64
	for pid := range processes() {
		if before[pid] {
			continue
		}
		kb, err := privateKB(pid)
		if err != nil {
			return err
		}
		total += kb
		count++
	}
	if count != 2 {
		return fmt.Errorf("a new sandbox has %d processes, not an agent and an interpreter", count)
	}
	b.figures.set("idle_private_mb", float64(total)/1024)
	return nil
}

// processes returns the numbers of all processes below this one.
func processes() map[string]bool {
	parents := map[string]string{}
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it ended meanwhile
		}
		// The name in parentheses may hold anything; the parent stands after it.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 {
			parents[filepath.Base(filepath.Dir(name))] = fields[1]
		}
	}
	own := strconv.Itoa(os.Getpid())
	found := map[string]bool{}
	for pid := range parents {
		for up, known := parents[pid], true; known; up, known = parents[up] {
			if up == own {
				found[pid] = true
				break
			}
		}
	}
	return found
}

// privateKB sums what one process has for itself.
func privateKB(pid string) (int64, error) {
	pages, err := sumKB("/proc/"+pid+"/smaps_rollup", "Private_Clean:", "Private_Dirty:")
	if err != nil {
		return 0, err
	}
	tables, err := sumKB("/proc/"+pid+"/status", "VmPTE:")
	return pages + tables, err
}

func sumKB(file string, keys ...string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var total int64
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		for _, key := range keys {
			if len(fields) > 1 && fields[0] == key {
				n, err := strconv.ParseInt(fields[1], 10, 64)
				if err != nil {
					return 0, fmt.Errorf("read %s: %w", file, err)
				}
				total += n
			}
		}
	}
	return total, nil
}
