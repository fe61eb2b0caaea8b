package cellwall_test

import (
	"math"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestLimits_WhatIsOutsideItsRangeIsRefused(t *testing.T) {
	if err := cellwall.DefaultLimits().Validate(); err != nil {
		t.Fatalf("the defaults: %v", err)
	}
	if err := cellwall.MaxLimits().Validate(); err != nil {
		t.Fatalf("the ceiling: %v", err)
	}
	for name, change := range map[string]func(*cellwall.Limits){
		"no share of a processor":    func(l *cellwall.Limits) { l.CPUs = 0.01 },
		"a share that is no number":  func(l *cellwall.Limits) { l.CPUs = math.NaN() },
		"all processors of any host": func(l *cellwall.Limits) { l.CPUs = math.Inf(1) },
		"less than no processor":     func(l *cellwall.Limits) { l.CPUs = -1 },
		"a timeout in the past":      func(l *cellwall.Limits) { l.Timeout = -time.Second },
		"a timeout of an hour":       func(l *cellwall.Limits) { l.Timeout = time.Hour },
		"memory for nothing":         func(l *cellwall.Limits) { l.MemoryBytes = 1 },
		"more memory than an int64":  func(l *cellwall.Limits) { l.MemoryBytes = math.MinInt64 },
		"three processes":            func(l *cellwall.Limits) { l.Processes = 3 },
		"artifacts without end":      func(l *cellwall.Limits) { l.ArtifactTotalBytes = math.MaxInt64 },
		"less than no artifacts":     func(l *cellwall.Limits) { l.ArtifactTotalBytes = -1 },
		"inputs without end":         func(l *cellwall.Limits) { l.InputBytes = math.MaxInt64 },
		"less than no inputs":        func(l *cellwall.Limits) { l.InputBytes = -1 },
		"no rows":                    func(l *cellwall.Limits) { l.Rows = -1 },
		"fewer files than none":      func(l *cellwall.Limits) { l.WorkspaceInodes = -1 },
	} {
		l := cellwall.DefaultLimits()
		change(&l)
		if err := l.Validate(); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s: %v, want %s", name, err, cellwall.CodeBadRequest)
		}
	}
}
