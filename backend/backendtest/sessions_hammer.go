package backendtest

import (
	"slices"
	"strconv"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// A hammer goes on between the cells, while checkpoints are taken and resumed:
// it aims at the numbers that come next, before anybody has them.
type hammer struct{ name, start string }

// aimAhead signals the numbers that the next processes will have.
const aimAhead = `def ahead():
    own = {int(t) for t in os.listdir('/proc/self/task')} | spared
    for n in range(2, max([*others([]), *own]) + 6):
        if n in own: continue
        try: os.kill(n, 9)
        except OSError: pass
`

func hammers() []hammer {
	return []hammer{
		{
			"AThreadThatKillsWhoeverComes",
			prelude + aimAhead + "import threading\nspared = set()\ndef loop():\n    while True:\n        ahead(); time.sleep(0)\n_ = threading.Thread(target=loop, daemon=True).start()",
		},
		{
			"AChildThatKillsWhoeverComes",
			prelude + aimAhead + "spared = {os.getpid()} | {int(t) for t in os.listdir('/proc/self/task')}\nif os.fork() == 0:\n    os.setsid()\n    while True: ahead()\n",
		},
		{
			"AThreadThatForksSisters",
			prelude + "import threading\ndef loop():\n    while True:\n        try:\n            if call(number(56, 220), 0x1208000 | signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)\n        except OSError: time.sleep(0)\n_ = threading.Thread(target=loop, daemon=True).start()",
		},
	}
}

// rounds is how many checkpoints a hammer gets to fall on.
func rounds() int {
	if testkit.Long() {
		return 400
	}
	return 15
}

// run demands that all of them stand.
func (h hammer) run(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 0", "")
	n.says(h.start, "")
	for i := range rounds() {
		got := n.cell("x += 1\nprint(x)")
		if got.Status != cellwall.StatusOK || got.out == "" || slices.Contains(got.notices, "checkpoint_failed") {
			t.Fatalf("cell %d ended %s %s, said %q %q and was told %v", i, got.Status, got.Cause, got.out, got.err, got.notices)
		}
	}
	n.died(n.cell("os._exit(3)"), "crashed exit:3")
	n.says("print(x)", strconv.Itoa(rounds()))
}

// control demands that one does not: a checkpoint was not taken, or not there.
func (h hammer) control(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 0", "")
	n.cell(h.start)
	for range rounds() {
		got, err := n.try(t.Context(), n.code("x += 1"), nil)
		if err != nil || got.Status != cellwall.StatusOK || slices.Contains(got.notices, "checkpoint_failed") {
			return
		}
	}
	if got, err := n.try(t.Context(), n.code("os._exit(3)"), nil); err == nil && got.Restored != nil && got.Restored.Cells == 1 {
		t.Errorf("without the gate all %d checkpoints stood", rounds())
	}
}
