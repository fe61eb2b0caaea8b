package main

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// flatRequests says how many requests a service is asked.
const flatRequests = "CELLWALL_FLAT_REQUESTS"

// What may grow between a quarter of the requests and all of them, once so many
// have filled what is meant to be filled. A hundred bytes left behind by each of
// 100,000 are more than the heap's. The resident memory may follow the heap five
// times over (gcPercent), and takes longer to settle. A descriptor or two more are
// a reader of the store that was not needed before.
const (
	heapGrace     = 4 << 20
	heapSettled   = 4_000 // requests
	memoryGrace   = 24 << 20
	memorySettled = 50_000
	fileGrace     = 8
)

// TestM43_A_service_stays_flat asks a real service for a mix of executions, reads,
// bad requests and refused ones, eight at a time, and holds what it has of its
// machine after all of them to what it had after a quarter.
func TestM43_A_service_stays_flat(t *testing.T) {
	requests := 400
	if os.Getenv(flatRequests) == "" && !testkit.Long() {
		t.Skip("it waits for a machine that rests: set CELLWALL_TEST_ALL=1")
	}
	if n, err := strconv.Atoi(os.Getenv(flatRequests)); err == nil {
		requests = n
	}
	f := &flat{served: realService(t), counts: map[string]int{}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	f.key = f.newKey(f.newTenant(), time.Time{}, cellwall.ScopeExecute)
	f.ask(requests / 4)
	before := f.hold()
	f.ask(requests - requests/4)
	after := f.hold()
	t.Logf("figures: after %d requests %v", requests/4, before)
	t.Logf("figures: after %d requests %v", requests, after)
	for _, what := range slices.Sorted(maps.Keys(f.counts)) {
		t.Logf("%d × %s", f.counts[what], what)
	}
	if grown := after.heap - before.heap; grown > heapGrace && requests >= heapSettled {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
	if grown := after.memory - before.memory; grown > memoryGrace && requests >= memorySettled {
		t.Errorf("resident memory grew by %d KiB", grown>>10)
	}
	if grown := after.descriptors - before.descriptors; grown > fileGrace {
		t.Errorf("it has %d files more open", grown)
	}
	before.descriptors, after.descriptors = 0, 0
	if before.objects != after.objects {
		t.Errorf("it held %v, and then %v", before, after)
	}
}

// flat is a service whose holdings are watched.
type flat struct {
	*served
	client   *http.Client
	operator *http.Client
	key      string

	mu     sync.Mutex
	counts map[string]int // of answers
}

// flatCalls is the mix.
var flatCalls = []struct {
	what, route, body string
	status            int
	stranger          bool // the key opens nothing
}{
	{"a trivial program", "POST /v1/executions", execution("print(6 * 7)"), 200, false},
	{"an execution", "POST /v1/executions", execution(programGroupby), 200, false},
	{"a list", "GET /v1/executions?limit=5", "", 200, false},
	{"a program that fails", "POST /v1/executions", execution("1 / 0"), 200, false},
	{"an unknown field", "POST /v1/executions", `{"code":"1","cod":"2"}`, 422, false},
	{"bad JSON", "POST /v1/executions", `{"code":`, 400, false},
	{"a program that is refused", "POST /v1/executions", execution("# coding: latin-1\n1"), 200, false},
	{"a NUL byte", "POST /v1/executions", execution("a\x00b"), 200, false},
	{"more than the tenant may have", "POST /v1/executions", `{"code":"1","backend":"other"}`, 403, false},
	{"a stranger", "POST /v1/executions", execution("1"), 401, true},
	{"what is not there", "GET /v1/executions/exec_0000000000000000", "", 404, false},
	{"an artifact", "POST /v1/executions", execution("open('a.csv', 'w').write('a\\n1\\n')"), 200, false},
	{"the environments", "GET /v1/environments", "", 200, false},
}

// ask makes n calls, eight at a time.
func (f *flat) ask(n int) {
	f.t.Helper()
	var next int
	var lanes sync.WaitGroup
	for range 8 {
		lanes.Go(func() {
			for !f.t.Failed() {
				f.mu.Lock()
				c := flatCalls[next%len(flatCalls)]
				next++
				last := next > n
				f.mu.Unlock()
				if last {
					return
				}
				method, path, _ := strings.Cut(c.route, " ")
				key := f.key
				if c.stranger {
					key = "e2b_" + strings.Repeat("0", 40)
				}
				status, text, err := tryCall(f.client, method, f.tcp+path, c.body, "X-API-Key", key)
				if err != nil || status != c.status {
					f.t.Errorf("%s: %d %s %v", c.what, status, text, err)
				}
				f.mu.Lock()
				f.counts[fmt.Sprintf("%s: %d", c.what, status)]++
				f.mu.Unlock()
			}
		})
	}
	lanes.Wait()
	if f.t.Failed() {
		f.t.FailNow()
	}
}

// holdings are what a service has of its machine.
type holdings struct {
	memory int64 // resident bytes
	heap   int64 // bytes that the last collection left
	objects
}

type objects struct {
	descriptors, goroutines, mounts, groups int
	processes                               int // below it
}

func (h holdings) String() string {
	return fmt.Sprintf("%d KiB, %d KiB of heap, %d descriptors, %d goroutines, %d mounts, %d groups, %d processes",
		h.memory>>10, h.heap>>10, h.descriptors, h.goroutines, h.mounts, h.groups, h.processes)
}

// hold takes stock once as many sandboxes wait as are to, and nothing but memory
// has changed for a moment. A busy host may take long to open the next one.
func (f *flat) hold() holdings {
	f.t.Helper()
	f.client.CloseIdleConnections()
	last, since := holdings{}, time.Now()
	f.await("it does not come to rest", func() bool {
		now := f.look()
		if now.objects != last.objects || !f.full() {
			since = time.Now()
		}
		last = now
		return time.Since(since) > 400*time.Millisecond
	})
	return last
}

// full reports whether every pool has what it is to have ready.
func (f *flat) full() bool {
	figures := f.metrics()
	for name, target := range figures {
		if of, ok := strings.CutPrefix(name, "cellwall_pool_target"); ok && figures["cellwall_pool_ready"+of] < target {
			return false
		}
	}
	return true
}

func (f *flat) look() (h holdings) {
	f.t.Helper()
	pid := f.cmd.Process.Pid
	figures := f.metrics()
	h.memory, h.goroutines = int64(figures["process_resident_memory_bytes"]), int(figures["go_goroutines"])
	h.heap = int64(figures["go_memstats_next_gc_bytes"] / (1 + figures["go_gc_gogc_percent"]/100))
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		f.t.Fatal(err)
	}
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
	if err != nil {
		f.t.Fatal(err)
	}
	family := descendants(pid)
	h.descriptors, h.mounts, h.processes = len(files), strings.Count(string(table), "\n"), len(family)
	h.groups = groupsBelow(family)
	return h
}

// groupsBelow counts the control groups of the instance whose processes these are.
func groupsBelow(family []process) int {
	instances := map[string]bool{}
	for _, p := range family {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.pid)) // it may have ended
		for line := range strings.Lines(string(raw)) {
			if _, path, ok := strings.Cut(line, ":/cellwall/"); ok {
				instance, _, _ := strings.Cut(strings.TrimSpace(path), "/")
				instances[instance] = true
			}
		}
	}
	n := 0
	for instance := range instances {
		for _, pattern := range []string{"/sys/fs/cgroup/cellwall/", "/sys/fs/cgroup/*/cellwall/"} {
			found, _ := filepath.Glob(pattern + instance + "/*/cgroup.procs") // the patterns are well formed
			n += len(found)
		}
	}
	return n
}

// metrics are the service's own figures that have no labels.
func (f *flat) metrics() map[string]float64 {
	f.t.Helper()
	if f.operator == nil { // one connection, or those that end would be counted
		f.operator = f.local()
		f.operator.Transport.(*http.Transport).DisableKeepAlives = false
	}
	status, text := call(f.t, f.operator, "GET", "http://local/metrics", "")
	if status != http.StatusOK {
		f.t.Fatalf("%d %s", status, text)
	}
	figures := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			figures[name] = n
		}
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes", "go_memstats_next_gc_bytes", "go_gc_gogc_percent"} {
		if figures[name] == 0 {
			f.t.Fatalf("the service does not tell its %s", name)
		}
	}
	return figures
}
