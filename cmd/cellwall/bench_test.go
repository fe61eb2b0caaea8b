package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// steady is a limit that takes a millisecond.
type steady struct{}

func (steady) Measure(_ string, runs, _ int) ([]time.Duration, time.Duration, error) {
	each := make([]time.Duration, runs)
	for i := range each {
		each[i] = time.Millisecond
	}
	return each, time.Duration(runs) * time.Millisecond, nil
}

func TestBench_reports_what_the_host_forbids_as_not_measured(t *testing.T) {
	b := &bench{verb: &benchVerb{}, limit: steady{}, figures: newFigures("native")}
	forbidden := []string{"/bin/sh", "-c", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"}
	if err := b.peer(t.Context(), "bubblewrap", forbidden, nil); err != nil {
		t.Fatalf("one that does not work ends the others: %v", err)
	}
	if err := b.peer(t.Context(), "plain", []string{"/bin/true"}, nil); err != nil || b.figures.values["plain_ratio"] == 0 {
		t.Errorf("one that works: %v, %v", b.figures.values, err)
	}
	if _, there := b.figures.values["bubblewrap_ratio"]; there || !strings.Contains(b.figures.missing["bubblewrap"], "No permissions") {
		t.Errorf("figures %v, missing %v", b.figures.values, b.figures.missing)
	}
	told, _ := b.figures.document()["not_measured"].(map[string]string)
	if told["bubblewrap"] == "" {
		t.Errorf("the document says %v", b.figures.document())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.peer(ended, "late", []string{"/bin/true"}, nil); err == nil {
		t.Error("an interrupt was taken for a host that forbids it")
	}
}

func TestBench_has_no_figure_of_nothing(t *testing.T) {
	b := &bench{verb: &benchVerb{Load: 0}, limit: steady{}, figures: newFigures("native")}
	if err := b.load(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	b.figures.set("nan", math.NaN())
	b.figures.set("inf", math.Inf(1))
	b.figures.latency("docker", []time.Duration{1}, []time.Duration{1}) // nothing pooled to compare with
	for key, value := range b.figures.values {
		if math.IsNaN(value) || math.IsInf(value, 0) || strings.HasPrefix(key, "throughput") {
			t.Errorf("%s is %v", key, value)
		}
	}
	if _, err := json.Marshal(b.figures.document()); err != nil {
		t.Error(err)
	}
}

func TestReadBars_our_own(t *testing.T) {
	if _, err := os.Stat("../../bench/bars.json"); err != nil {
		t.Fatal(err)
	}
	if want, err := readBars("../../bench/bars.json"); err != nil || len(want.Bars) == 0 {
		t.Errorf("%v, %v", want, err)
	}
}

func TestBench_of_the_service_asks_for_its_bars_only(t *testing.T) {
	all, err := readBars("../../bench/bars.json")
	if err != nil {
		t.Fatal(err)
	}
	some := all.of(true)
	if len(some.Bars) != 7 || len(all.of(false).Bars) != len(all.Bars) || len(all.Bars) < 25 {
		t.Errorf("%d of %d", len(some.Bars), len(all.Bars))
	}
	f := newFigures("native")
	times := func(each ...time.Duration) samples { return samples{each, time.Second} }
	f.latency("http", []time.Duration{10}, []time.Duration{8})
	f.latency("http_trivial", []time.Duration{10}, []time.Duration{2 * time.Millisecond})
	f.httpLoad(times(1, 1), times(1))
	f.httpOverload(times(1, 1), times(1), times(time.Millisecond, 2*time.Millisecond))
	f.httpQuiet(times(1), times(2))
	for _, b := range some.Bars {
		if _, there := f.values[b.Key]; !there {
			t.Errorf("nothing sets %s", b.Key)
		}
	}
	if f.values["http_throughput_ratio_8"] != 0.5 || f.values["http_goodput_2x"] != 0.5 || f.values["http_quiet_p99_ratio"] != 2 || f.values["http_trivial_ms"] != 2 {
		t.Errorf("%v", f.values)
	}
}
