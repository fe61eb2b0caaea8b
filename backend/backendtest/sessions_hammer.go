package backendtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// A hammer goes on between the cells, while checkpoints are taken and resumed:
// it aims at the numbers that come next, before anybody has them.
type hammer struct {
	name, start string
	hits        string // counts what it did, for one that a session would survive
}

// aimAhead signals the numbers that the next processes will have.
const aimAhead = `hit = []
def ahead():
    own = {int(t) for t in os.listdir('/proc/self/task')} | spared
    for n in range(2, max([*others([]), *own]) + 6):
        if n in own: continue
        try:
            os.kill(n, 9)
            hit.append(n)
        except OSError: pass
`

func hammers() []hammer {
	return []hammer{
		{
			name: "AThreadThatKillsWhoeverComes", hits: "len(hit)", start: prelude + aimAhead + "import threading\nspared = set()\ndef loop():\n    while True:\n        ahead(); time.sleep(0)\n_ = threading.Thread(target=loop, daemon=True).start()",
		},
		{
			name: "AChildThatKillsWhoeverComes", hits: "told[0]", start: prelude + aimAhead + "import mmap\ntold = mmap.mmap(-1, 1)\nspared = {os.getpid()} | {int(t) for t in os.listdir('/proc/self/task')}\nif os.fork() == 0:\n    os.setsid()\n    while True:\n        ahead()\n        if hit: told[0] = 1\n",
		},
		{
			name: "AThreadThatForksSisters", hits: "len(sisters)", start: prelude + "import threading\nsisters = []\ndef loop():\n    while True:\n        try:\n            if call(number(56, 220), 0x1208000 | signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)\n            sisters.append(1)\n        except OSError: time.sleep(0)\n_ = threading.Thread(target=loop, daemon=True).start()",
		},
	}
}

// patience of a cell beside a hammer is a guard against hanging.
const patience = time.Minute

// rounds is how many checkpoints a hammer gets to fall on.
func rounds() int {
	if testkit.Long() {
		return 400
	}
	return 15
}

// run demands that the checkpoints stand.
func (h hammer) run(t *testing.T, s Setup) {
	if fell := h.strike(t, s); fell != "" {
		t.Error(fell)
	}
}

// control demands that they do not.
func (h hammer) control(t *testing.T, s Setup) {
	if h.strike(t, s) == "" {
		t.Errorf("without the gate all %d checkpoints stood", rounds())
	}
}

// strike runs cells under the hammer, has one die, and says what it met. A fork
// beside a thread that holds a lock of the C library cannot stand: that is told,
// and may be so now and then.
func (h hammer) strike(t *testing.T, s Setup) (fell string) {
	n := begin(t, s, cellwall.Limits{Timeout: patience}) // a thread takes its share, and a busy host the rest
	n.says("x = 0", "")
	if got := n.cell(h.start); got.Status != cellwall.StatusOK {
		return fmt.Sprintf("the hammer itself ended %s %s: %s", got.Status, got.Cause, got.raised)
	}
	untaken := 0
	for i := range rounds() {
		c := n.code("x += 1")
		c.Timeout = patience
		got, err := n.try(t.Context(), c, nil)
		if err != nil || got.Status != cellwall.StatusOK {
			return fmt.Sprintf("cell %d ended %s %s, %v: %s", i, got.Status, got.Cause, err, got.raised)
		}
		if got.noCheckpoint() != "" {
			untaken++
		}
	}
	if h.hits != "" {
		if got, err := n.try(t.Context(), n.code("print("+h.hits+")"), nil); err != nil || strings.TrimSpace(got.out) != "0" {
			return fmt.Sprintf("it hit %q times, %v", got.out, err)
		}
	}
	if untaken > rounds()/4 {
		return fmt.Sprintf("%d of %d checkpoints were not taken", untaken, rounds())
	}
	got, err := n.try(t.Context(), n.code("os._exit(3)"), nil)
	if got.noCheckpoint() != "" {
		untaken++
	}
	if err != nil || got.Restored == nil || got.Restored.Checkpoint == "" || got.Restored.Cells > untaken+1 {
		return fmt.Sprintf("restored %+v, %v after %d checkpoints that were not taken", got.Restored, err, untaken)
	}
	x, err := strconv.Atoi(strings.TrimSpace(n.cell("print(x)").out))
	if least := rounds() + 1 - got.Restored.Cells; err != nil || x < least || x > rounds() {
		return fmt.Sprintf("x is %d (%v), want %d or more", x, err, least)
	}
	return ""
}
