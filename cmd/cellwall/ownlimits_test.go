package main

import (
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

func TestM4_OurProgramsHaveWhatLargeDataNeed(t *testing.T) {
	small, large := []cellwall.Input{{Size: ownLarge}}, []cellwall.Input{{Size: ownLarge}, {Size: 1}}
	standard := cellwall.DefaultLimits()
	for name, tt := range map[string]struct {
		asked   cellwall.Limits
		on      []cellwall.Input
		timeout time.Duration
		memory  int64
	}{
		"small data":        {cellwall.Limits{}, small, 0, 0},
		"large data":        {cellwall.Limits{}, large, ownTimeout, ownMemory},
		"filled in":         {standard, large, ownTimeout, ownMemory},
		"less was asked":    {cellwall.Limits{Timeout: time.Second, MemoryBytes: 128 * cellwall.MiB}, large, time.Second, 128 * cellwall.MiB},
		"more was asked":    {cellwall.Limits{MemoryBytes: 4 * cellwall.GiB}, large, ownTimeout, 4 * cellwall.GiB},
		"asked, small data": {cellwall.Limits{Timeout: time.Hour}, small, time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := toolJob{tool: tools.MakeChart}.request(cellwall.Request{Limits: tt.asked, Datasets: tt.on}, "").Limits
			if got.Timeout != tt.timeout || got.MemoryBytes != tt.memory || got.Rows != cellwall.MaxLimits().Rows {
				t.Errorf("%v, %d bytes, %d rows", got.Timeout, got.MemoryBytes, got.Rows)
			}
		})
	}
	model := toolJob{tool: tools.RunPython}.request(cellwall.Request{Datasets: large}, "")
	if model.Limits != (cellwall.Limits{}) {
		t.Errorf("a model's program has %+v", model.Limits)
	}
}

func TestM50_AQueryHasWhatItsProgramHas(t *testing.T) {
	large := []cellwall.Input{{Size: 2 * ownLarge}}
	got := insideLimits(cellwall.Call{Inputs: large, Limits: cellwall.Limits{Timeout: 2 * time.Minute, MemoryBytes: 2 * cellwall.GiB}})
	if got.Timeout != 2*time.Minute || got.MemoryBytes != 2*cellwall.GiB {
		t.Errorf("of a program with more: %v, %d bytes", got.Timeout, got.MemoryBytes)
	}
	got = insideLimits(cellwall.Call{Inputs: large, Limits: cellwall.DefaultLimits()})
	if got.Timeout != ownTimeout || got.MemoryBytes != ownMemory {
		t.Errorf("of one with the default: %v, %d bytes", got.Timeout, got.MemoryBytes)
	}
}
