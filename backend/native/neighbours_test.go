package native_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// What neighbours do once they have said FULL: nothing, or all they can. The
// second meets every limit that it can meet and live, and keeps at it.
const (
	sleeps   = "import time\nprint('FULL', flush=True)\ntime.sleep(3600)"
	atLimits = `import os, threading, time
kept = [b"x" * (1 << 20) for _ in range(20)]
def crowd():
    try:
        while True:
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
    except RuntimeError:
        pass
def fill():
    try:
        with open("/tmp/block", "wb", buffering=0) as f:
            while True:
                f.write(bytes(65536))
    except OSError:
        os.unlink("/tmp/block")
fill()
crowd()
print("FULL", flush=True)
while True:
    for _ in range(20):
        sum(range(200_000))
    print("x" * 1000, flush=True)
    fill()
    crowd()
`
	ordinary = "import pandas as pd\nprint(pd.DataFrame({'a': range(1000)}).a.sum())"
)

// neighbourhood says how large the test is.
type neighbourhood struct {
	neighbours int
	lanes      int // control executions at once
	runs       int // of each lane
}

// TestR80_NeighboursAtTheirLimits compares an ordinary execution beside many that
// are asleep with one beside as many that use all they have: each ends right, and
// in the long tier soon enough. In the fast one others run beside this test, and
// the times are only told.
func TestR80_NeighboursAtTheirLimits(t *testing.T) {
	testkit.RequireRoot(t)
	size, percent := neighbourhood{neighbours: 12, lanes: 2, runs: 12}, 50
	if testkit.Long() {
		size, percent = neighbourhood{neighbours: 200, lanes: 2, runs: 150}, 99
	}
	if free, needed := available(t), int64(size.neighbours)*64*cellwall.MiB+2*cellwall.GiB; free < needed {
		t.Skipf("not measured, proof: %d neighbours may use %d MiB, and this host has %d", size.neighbours, needed>>20, free>>20)
	}
	s := backendtest.RoomsFor(t, open(t), basic(t), ready, size.neighbours+size.lanes)
	idle := beside(t, s, size, sleeps)
	before := resident(t)
	busy := beside(t, s, size, atLimits)
	grown := resident(t) - before
	was, is := percentile(idle, percent), percentile(busy, percent)
	t.Logf("%d neighbours: %d ordinary executions, %d at once, took %v (p50, p90, p99) while they slept, %v at their limits; "+
		"the controller grew by %d KiB", size.neighbours, len(idle), size.lanes, percentiles(idle), percentiles(busy), grown>>10)
	t.Logf("figures: p%d is %.2f times that beside sleeping ones", percent, float64(is)/float64(was))
	if is > 3*was && testkit.Long() {
		t.Errorf("p%d is %v beside neighbours at their limits, more than 3 times the %v beside sleeping ones", percent, is, was)
	}
	if grown > 16<<20*overhead {
		t.Errorf("the controller grew by %d KiB", grown>>10)
	}
}

// beside fills the neighbourhood with code and measures ordinary executions.
func beside(t *testing.T, s backendtest.Setup, size neighbourhood, code string) []time.Duration {
	t.Helper()
	defer moveIn(t, s, size.neighbours, code)()
	var mu sync.Mutex
	var all []time.Duration
	var lanes sync.WaitGroup
	for range size.lanes {
		lanes.Go(func() {
			for range size.runs {
				began := time.Now()
				r, err := s.Execute(t.Context(), request(s, ordinary))
				took := time.Since(began)
				if err != nil || r.Status != cellwall.StatusOK || r.Stdout.Text != "499500\n" {
					t.Errorf("an ordinary execution ended as %+v, %v", r, err)
					return
				}
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
			}
		})
	}
	lanes.Wait()
	isBusy(t, s, size)
	slices.Sort(all)
	return all
}

func request(s backendtest.Setup, code string) cellwall.Request {
	return cellwall.Request{Identity: cellwall.Identity{Tenant: "neighbours"}, Code: code, Environment: s.Environment.Name}
}

// moveIn starts so many neighbours with code and returns when all are full.
// What it returns cancels them and waits until they are gone.
func moveIn(t *testing.T, s backendtest.Setup, neighbours int, code string) (moveOut func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var full, gone sync.WaitGroup
	for range neighbours {
		full.Add(1)
		gone.Go(func() { neighbour(ctx, t, s, code, sync.OnceFunc(full.Done)) })
	}
	full.Wait()
	return func() {
		cancel()
		gone.Wait()
	}
}

// neighbour runs code until it is cancelled and calls full when it says so.
func neighbour(ctx context.Context, t *testing.T, s backendtest.Setup, code string, full func()) {
	defer full() // also when it fails: nobody waits for it in vain
	r := request(s, code)
	r.Limits = cellwall.Limits{MemoryBytes: 64 * cellwall.MiB, Processes: 8, TmpBytes: cellwall.MiB, Timeout: 5 * time.Minute}
	result, err := s.Stream(ctx, r, func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout && bytes.Contains(e.Data, []byte("FULL")) {
			full()
		}
		return nil
	})
	if err != nil || result.Status != cellwall.StatusCancelled {
		t.Errorf("a neighbour ended as %+v, %v", result, err)
	}
}

// isBusy takes what room is left and demands that the next claim is told so.
func isBusy(t *testing.T, s backendtest.Setup, size neighbourhood) {
	t.Helper()
	defer moveIn(t, s, size.lanes, sleeps)()
	_, err := s.Execute(t.Context(), request(s, ordinary))
	if err == nil || cellwall.CodeOf(err) != cellwall.CodeBusy || cellwall.HintOf(err) == "" {
		t.Errorf("one more than there is room for: %v, want busy and a hint", err)
	}
}

// available is the memory that the host can still give.
func available(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("/proc/meminfo has no MemAvailable")
	return 0
}

func percentiles(sorted []time.Duration) []time.Duration {
	return []time.Duration{percentile(sorted, 50), percentile(sorted, 90), percentile(sorted, 99)}
}

func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)].Round(100 * time.Microsecond)
}
