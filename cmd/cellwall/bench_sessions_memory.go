package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// idleSession measures what a session holds that has run a cell and has no data:
// all that is charged to its control groups, page tables and files in memory
// included; with its newest checkpoint alone, and what each further one holds.
func (b *bench) idleSession(ctx context.Context) error {
	const further = 8
	one, err := b.charged(ctx, 1)
	if err != nil {
		return err
	}
	many, err := b.charged(ctx, 1+further)
	if err != nil {
		return err
	}
	b.figures.set("session_idle_mb", one/float64(cellwall.MiB))
	b.figures.set("session_checkpoint_mb", (many-one)/further/float64(cellwall.MiB))
	return nil
}

// charged returns what is charged to a session that keeps so many checkpoints.
func (b *bench) charged(ctx context.Context, checkpoints int) (total float64, err error) {
	if err := b.filled(ctx); err != nil { // other sandboxes are there already
		return 0, err
	}
	before := processes()
	s, err := b.openLive(ctx, cellwall.Limits{Checkpoints: checkpoints}, slices.Repeat([]string{programGroupby}, checkpoints)...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	time.Sleep(repose)
	groups := map[string]bool{}
	for pid := range processes() {
		if before[pid] {
			continue
		}
		if group, err := memoryGroupOf(pid); err == nil && strings.Contains(group, "/native-") {
			groups[group] = true
		}
	}
	if len(groups) < 1+checkpoints {
		return 0, fmt.Errorf("a session has %d groups, not one of cells and one of each checkpoint", len(groups))
	}
	for group := range groups {
		bytes, err := chargedTo(group)
		if err != nil {
			return 0, err
		}
		total += float64(bytes)
	}
	return total, nil
}

// memoryGroupOf finds the directory of the memory group that a process is in.
func memoryGroupOf(pid string) (string, error) {
	text, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) == 3 && fields[1] == "memory":
			return filepath.Join("/sys/fs/cgroup/memory", fields[2]), nil
		case len(fields) == 3 && fields[0] == "0" && fields[2] != "/":
			return filepath.Join("/sys/fs/cgroup", fields[2]), nil
		}
	}
	return "", errors.New("it is in no memory group")
}

// chargedTo reads what a group of either version uses.
func chargedTo(group string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(group, "memory.usage_in_bytes"))
	if errors.Is(err, os.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(group, "memory.current"))
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// manySessions opens sessions until there are as many as were asked for, each
// after a cell, and then runs a cell in the first.
func (b *bench) manySessions(ctx context.Context) (err error) {
	if b.verb.Sessions == 0 {
		return nil
	}
	var open []cellwall.Interpreter
	defer func() {
		err = errors.Join(err, together(len(open), func(i int) error { return open[i].Close() }))
	}()
	before, err := available()
	if err != nil {
		return err
	}
	cell := func(s cellwall.Interpreter, code string) error {
		end, err := s.Cell(ctx, cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: code}, nil)
		if err == nil && end.Status != cellwall.StatusOK {
			err = fmt.Errorf("a cell ended %s (%s)", end.Status, end.Cause)
		}
		return err
	}
	for len(open) < b.verb.Sessions {
		sandbox, err := b.cold.backend.Open(ctx, cellwall.Spec{Environment: b.env, Session: true, Limits: cellwall.DefaultLimits()})
		if err != nil {
			return err
		}
		s := sandbox.(cellwall.Interpreter)
		open = append(open, s)
		if _, err := s.Begin(ctx, cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution)}, nil); err != nil {
			return err
		}
		if err := cell(s, programGroupby); err != nil {
			return err
		}
	}
	if err := cell(open[0], "frame.shape"); err != nil {
		return err
	}
	after, err := available()
	b.figures.set("sessions_at_once", float64(len(open)))
	b.figures.set("sessions_mb_each", float64(before-after)/1024/float64(len(open)))
	return err
}

// available is how much memory the host could give, in KiB.
func available() (int64, error) { return sumKB("/proc/meminfo", "MemAvailable:") }
