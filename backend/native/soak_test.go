package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
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

// TestControllerStaysFlat runs a thousand programs, one in twenty hostile.
func TestControllerStaysFlat(t *testing.T) {
	testkit.RequireRoot(t)
	const runs, settled, every = 1000, 200, 20
	const grace = 5 << 20 // bytes
	s := backendtest.Rooms(t, open(t), basic(t), ready)
	var memory, descriptors int64
	for i := 1; i <= runs; i++ {
		code, want := fmt.Sprintf("print(%d)", i), cellwall.StatusOK
		if i%every == 0 {
			attack := hostile[i/every%len(hostile)]
			code, want = attack.code, attack.status
		}
		result, err := s.Execute(t.Context(), cellwall.Request{
			Identity: cellwall.Identity{Tenant: "soak"}, Code: code, Environment: s.Environment.Name,
			Limits: cellwall.Limits{MemoryBytes: 320 * cellwall.MiB, OutputBytes: 8 * cellwall.MiB},
		})
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if result.Status != want {
			t.Fatalf("run %d ended %s (%s), want %s\n%s", i, result.Status, result.Cause, want, result.Stderr.Text)
		}
		if i == settled {
			memory, descriptors = resident(t), openFiles(t)
		}
	}
	grown, files := resident(t)-memory, openFiles(t)
	t.Logf("after %d runs %d KiB resident, after %d %+d KiB; descriptors %d, then %d",
		settled, memory>>10, runs, grown>>10, descriptors, files)
	if grown > grace {
		t.Errorf("resident memory grew by %d KiB", grown>>10)
	}
	if files != descriptors {
		t.Errorf("descriptors grew from %d to %d", descriptors, files)
	}
}

// resident is this process's memory once the collector has had its say.
func resident(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// openFiles counts descriptors once the pool has come to rest: the count has
// not moved for half a second.
func openFiles(t *testing.T) int64 {
	t.Helper()
	last, since := int64(-1), time.Now()
	for began := time.Now(); time.Since(since) < 500*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		names, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(len(names)); n != last {
			last, since = n, time.Now()
		}
		if time.Since(began) > testkit.Scale(time.Minute) {
			t.Fatalf("the number of open files does not come to rest, %d at last", last)
		}
	}
	return last
}
