package backendtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// A greed is what a cell has the snapshots that are taken after it do, in the
// driver's place: go on running, and use up what snapshots have. One that shared
// that with earlier ones would cost them: the kernel ends the largest, and who
// cannot fork is no way back.
type greed struct{ name, work string }

func greeds() []greed {
	return []greed{
		{"Memory", "kept = []\n        while True: kept.append(b'x' * (1 << 20))"},
		{"MemoryOfManyProcesses", "while True:\n            try: new = os.fork() == 0\n            except OSError: new = False\n            if new:\n                kept = []\n                while True: kept.append(b'x' * (1 << 20))\n            time.sleep(0.001)"},
		{"Processes", "while True:\n            try: os.fork()\n            except OSError: time.sleep(0.01)"},
		{"Time", "while True: pass"},
	}
}

// program makes the snapshots greedy, once they have said that they stand.
func (g greed) program() string {
	return fmt.Sprintf(`import os, sys, time
def greedy(self):
    time.sleep(0.2)
    try:
        %s
    finally: os._exit(1)
sys.modules['_cellwall.snapshot']._Fork._wait = greedy
del big`, g.work)
}

// run has a cell spoil what comes after it; returned is what that cost the
// checkpoint before it, "" for nothing.
func (g greed) run(t *testing.T, s Setup) string {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says("import numpy\nbig = numpy.ones(25 << 20)\n"+turn(1), "") // 200 MiB: the largest is what the kernel takes
	before := k.at().ID
	k.cell(g.program())
	for range 3 {
		k.cell(turn(2))
	}
	wait := time.NewTimer(testkit.Scale(2 * time.Second))
	defer wait.Stop()
	<-wait.C
	back, err := k.Rollback(t.Context(), cellwall.Return{To: before})
	if err != nil {
		return err.Error()
	}
	if back.Checkpoint != before {
		return fmt.Sprintf("it went back to %s", back.Checkpoint)
	}
	k.says("print(x, open('f').read(), int(big.sum()) >> 20)", "1 1 25")
	return ""
}

// runGreeds demands that a checkpoint stands whatever later cells do.
func runGreeds(t *testing.T, s Setup) {
	for _, g := range greeds() {
		t.Run(g.name, func(t *testing.T) {
			if cost := g.run(t, s); cost != "" {
				t.Errorf("a later cell took a checkpoint away: %s", cost)
			}
		})
	}
}

// SessionCageControls shows that greed for memory and processes works on a
// backend whose snapshots share a group.
func SessionCageControls(t *testing.T, s Setup) {
	t.Helper()
	for _, g := range greeds()[:3] {
		t.Run(g.name, func(t *testing.T) {
			if g.run(t, s) == "" {
				t.Error("the checkpoint was there all the same")
			}
		})
	}
}
