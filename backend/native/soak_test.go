package native_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/footprint"
	"github.com/cellwall/cellwall/internal/testkit"
)

// hostile are ends that cost a controller most, told apart by their status.
var hostile = []struct {
	code   string
	status cellwall.Status
}{
	{"import os; os.kill(os.getpid(), 11)", cellwall.StatusCrashed},
	{"b = []\nwhile True: b.append(bytearray(1 << 20))", cellwall.StatusMemoryLimit},
	{"import sys\nwhile True: sys.stdout.write('x' * 65536)", cellwall.StatusOutputLimit},
	{"import os\nwhile True: os.fork()", cellwall.StatusProcessLimit},
	{"f = open('big', 'wb', 0)\nfor i in range(200): assert f.write(bytes(1 << 20)) == 1 << 20", cellwall.StatusDiskLimit},
}

const soakRuns = "CELLWALL_SOAK_RUNS"

// Programs by the thousand, eight at a time and one in twenty hostile, all end
// as they must and leave nothing behind: not in the controller, and not in the
// warden that built their walls.
func TestControllerStaysFlat(t *testing.T) {
	testkit.RequireRoot(t)
	const grace = 5 << 20 * overhead // bytes
	runs := times(t, soakRuns, 200)
	settled := runs / 4
	b := open(t)
	settle(t, b)
	s := backendtest.Rooms(t, b, basic(t), ready)
	soak(t, s, 1, settled)
	before := hold(t, b)
	soak(t, s, settled+1, runs)
	after := hold(t, b)
	t.Logf("figures: after %d runs %v", settled, before)
	t.Logf("figures: after %d runs %v", runs, after)
	if grown := after.memory - before.memory; grown > grace {
		t.Errorf("resident memory grew by %d KiB", grown>>10)
	}
	before.memory, after.memory = 0, 0
	if before != after {
		t.Errorf("it held %v, and then %v; the warden has %v", before, after, openNames(t, onlyWarden(t)))
	}
}

// settle waits for the end of what a zygote does after its first fork: its trial
// children are not the sandboxes that are counted here.
func settle(t *testing.T, b *native.Backend) {
	t.Helper()
	s, err := b.Open(t.Context(), cellwall.Spec{Environment: basic(t), Limits: cellwall.DefaultLimits(), Ahead: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// soak runs the programs of the numbers first to last, eight at a time.
func soak(t *testing.T, s backendtest.Setup, first, last int) {
	t.Helper()
	const lanes, every = 8, 20
	numbers := make(chan int)
	var lane sync.WaitGroup
	for range lanes {
		lane.Go(func() {
			for n := range numbers {
				code, want := fmt.Sprintf("print(%d)", n), cellwall.StatusOK
				if n%every == 0 {
					attack := hostile[n/every%len(hostile)]
					code, want = attack.code, attack.status
				}
				result, err := s.Execute(t.Context(), cellwall.Request{
					Identity: cellwall.Identity{Tenant: "soak"}, Code: code, Environment: s.Environment.Name,
					Limits: cellwall.Limits{
						MemoryBytes: 320 * cellwall.MiB, OutputBytes: 8 * cellwall.MiB, Timeout: testkit.Scale(ample),
					},
				})
				switch {
				case err != nil:
					t.Errorf("run %d: %v", n, err)
				case result.Status != want:
					t.Errorf("run %d ended %s (%s), want %s\n%s", n, result.Status, result.Cause, want, result.Stderr.Text)
				case want == cellwall.StatusOK && result.Stdout.Text != fmt.Sprintln(n):
					t.Errorf("run %d printed %q", n, result.Stdout.Text)
				}
			}
		})
	}
	for n := first; n <= last && !t.Failed(); n++ {
		numbers <- n
	}
	close(numbers)
	lane.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// maxNetworks is how many network namespaces a warden may hold: those that it
// keeps for sandboxes to come, and those of the sandboxes that are there.
const maxNetworks = 64 + 2*ready

// held is what a controller holds of its machine.
type held struct {
	memory                      int64 // bytes resident in this process
	descriptors, warden, zygote int   // of this process, its warden without spare networks, its zygote
	mounts, groups, processes   int
}

func (h held) String() string {
	return fmt.Sprintf("%d KiB, %d descriptors, %d in the warden, %d in the zygote, %d mounts, %d groups, %d first processes",
		h.memory>>10, h.descriptors, h.warden, h.zygote, h.mounts, h.groups, h.processes)
}

// hold takes stock once nothing has changed for half a second: the pool fills
// and destroys in the background.
func hold(t *testing.T, b *native.Backend) held {
	t.Helper()
	last, since := held{}, time.Now()
	for began := time.Now(); time.Since(since) < 500*time.Millisecond; time.Sleep(20 * time.Millisecond) {
		if now := look(t, b); now != last {
			last, since = now, time.Now()
		}
		if time.Since(began) > testkit.Scale(time.Minute) {
			t.Fatalf("it does not come to rest: %v", last)
		}
	}
	last.memory = resident(t)
	return last
}

func look(t *testing.T, b *native.Backend) held {
	t.Helper()
	warden, zygotes := onlyWarden(t), below(os.Getpid(), "zygote")
	names, total := openNames(t, warden), 0
	for _, n := range names {
		total += n
	}
	if names["net"] > maxNetworks {
		t.Fatalf("the warden holds %d networks", names["net"])
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || len(zygotes) != 1 {
		t.Fatalf("zygotes: %v, %v", zygotes, err)
	}
	return held{
		descriptors: openCount(t, os.Getpid()), warden: total - names["net"], zygote: openCount(t, zygotes[0]),
		mounts: strings.Count(string(table), "\n"), groups: len(groupsOf(native.InstanceName(b))),
		processes: len(below(os.Getpid(), "agent")),
	}
}

// resident is this process's memory once the collector has had its say.
func resident(t *testing.T) int64 {
	t.Helper()
	bytes, err := footprint.Now()
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// openNames counts what a process has open by what it is.
func openNames(t *testing.T, pid int) map[string]int {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, f := range files {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, f.Name()))
		if err == nil {
			name, _, _ = strings.Cut(name, ":[") // without the number of an object
			names[name]++
		}
	}
	return names
}
