package backendtest

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// growth is what the controller may take while it serves an attack: the bytes
// that one run may send, the output that it keeps, and a generous rest for the
// collector. An attack that grows it by what it wrote takes gigabytes.
const growth = 384 * cellwall.MiB

// watchMemory notes how large this process, which holds the controller, is, and
// returns a check of its peak since then.
func watchMemory(t *testing.T) (check func()) {
	t.Helper()
	debug.FreeOSMemory()
	before, err := resident("VmRSS:")
	if err != nil {
		t.Fatal(err)
	}
	// "5" makes the kernel forget the peak so far.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Logf("not measured: the controller's peak of memory: %v", err)
		return func() {}
	}
	return func() {
		t.Helper()
		peak, err := resident("VmHWM:")
		if err != nil {
			t.Fatal(err)
		}
		if peak > before+growth {
			t.Errorf("the controller grew from %d to %d bytes", before, peak)
		}
	}
}

// resident reads one line of this process's status, in bytes.
func resident(name string) (int64, error) {
	for _, line := range lines("/proc/self/status") {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib * cellwall.KiB, err
		}
	}
	return 0, fmt.Errorf("read memory: no line %s", name)
}
