package backendtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// runLife holds a session to what it is for: it goes on.
func runLife(t *testing.T, s Setup) {
	t.Run("DeathsInARow", func(t *testing.T) { manyDeaths(t, s) })
	t.Run("CellsWithFlatMemoryAndAFlatTree", func(t *testing.T) { manyCells(t, s) })
	t.Run("NothingReachesAnotherSession", func(t *testing.T) { apart(t, s) })
	t.Run("NothingIsLeftForTheNextSession", func(t *testing.T) { nothingLeft(t, s) })
	t.Run("SessionsThatDieSideBySide", func(t *testing.T) { severalAtOnce(t, s) })
}

// shorter is a number of the long tier, or a part of it that makes the same
// turns in the fast one.
func shorter(long, short int) int {
	if testkit.Long() {
		return long
	}
	return short
}

// manyDeaths has the same checkpoint serve again and again, and one that is new
// after each.
func manyDeaths(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{MemoryBytes: 256 * cellwall.MiB})
	n.says("import numpy\nkept = numpy.arange(100000)\nx = 0\nwith open('f', 'w') as f: f.write('0')", "")
	kills := []string{
		"import os\nos._exit(7)", "import ctypes\nctypes.string_at(0)", "import os\nos.kill(os.getpid(), 9)",
		"blocks = [bytearray(b'x' * (1 << 20)) for _ in range(1000)]",
	}
	deaths := 0
	for want := 0; deaths < 100; deaths++ {
		n.died(n.cell("x = -1\nkept[:] = 0\nwith open('f', 'w') as f: f.write('dead')\n"+kills[deaths%len(kills)]), "")
		if deaths%3 > 0 { // else the next one dies of the same checkpoint
			continue
		}
		n.says("print(x, open('f').read(), int(kept.sum()))", fmt.Sprintf("%d %d 4999950000", want, want))
		want++
		n.says("x += 1\nwith open('f', 'w') as f: f.write(str(x))", "")
	}
	t.Logf("%d deaths", deaths)
}

// weight is what a session weighs, as the cell that asks sees it: memory of its
// own in KiB, the processes of the namespace, whether its parent is outside, and
// descriptors.
const weight = `import os
def weigh():
    own = sum(int(l.split()[1]) for l in open('/proc/self/smaps_rollup') if l.startswith(('Private_', 'Swap:')))
    here = 0
    for n in range(1, os.getpid() + 200):
        try: os.getpgid(n); here += 1
        except OSError: pass
    return own, here, os.getppid(), len(os.listdir('/proc/self/fd'))`

func (n *notebook) weigh() (own, here, parent, descriptors int) {
	n.t.Helper()
	got := n.cell("print(*weigh())")
	if _, err := fmt.Sscan(got.out, &own, &here, &parent, &descriptors); err != nil {
		n.t.Fatalf("weigh: %q: %v", got.out, err)
	}
	return own, here, parent, descriptors
}

func manyCells(t *testing.T, s Setup) {
	many := shorter(1000, 150)
	n := begin(t, s, cellwall.Limits{Checkpoints: 4})
	n.says(weight, "")
	n.says("x = 0\nimport pandas as pd\nt = pd.DataFrame({'a': range(1000)})", "")
	cell := func(i int) {
		n.says(fmt.Sprintf("x = %d\nt['b'] = t['a'] * x\nprint(int(t['b'].sum()))", i), strconv.Itoa(499500*i))
		if i%10 != 9 {
			return
		}
		got := n.cell("x = 0\nos._exit(1)")
		if got.Restored == nil || got.Restored.Checkpoint == "" || got.Restored.Cells > 1 && got.noCheckpoint() == "" {
			t.Fatalf("cell %d ended %s %s, restored %+v, told %v", i, got.Status, got.Cause, got.Restored, got.notices)
		}
		n.says("print(x)", strconv.Itoa(i+1-got.Restored.Cells))
	}
	for i := range many / 10 {
		cell(i + 1)
	}
	own, here, _, descriptors := n.weigh()
	for i := many / 10; i < many; i++ {
		cell(i + 1)
	}
	own1, here1, parent, descriptors1 := n.weigh()
	t.Logf("%d cells: %d → %d KiB, %d → %d processes, %d → %d descriptors", many, own, own1, here, here1, descriptors, descriptors1)
	if grown := own1 - own; grown > 8<<10 {
		t.Errorf("%d KiB after %d cells, %d after %d", own, many/10, own1, many)
	}
	// Process 1, the interpreter, its checkpoints, and one or two that were let go
	// and are not reaped yet.
	if here1 > 1+1+4+2 || parent != 0 || descriptors1 > descriptors {
		t.Errorf("%d processes and %d descriptors after %d cells, parent %d; %d and %d before", here1, descriptors1, many, parent, here, descriptors)
	}
}

// apart puts two sessions side by side: the same names, numbers and files are
// two different things.
func apart(t *testing.T, s Setup) {
	one, two := begin(t, s, cellwall.Limits{}), begin(t, s, cellwall.Limits{})
	one.says("x = 1\nimport os\nfor d in ('.', '/tmp', '/dev/shm'):\n    with open(d + '/mark', 'w') as f: f.write('one')\nos.environ['MARK'] = 'one'", "")
	two.says("import os\nprint('x' in globals(), [os.path.exists(d + '/mark') for d in ('.', '/tmp', '/dev/shm')], os.environ.get('MARK'))", "False [False, False, False] None")
	two.says("x = 2", "")
	one.died(one.cell("os.kill(0, 9)"), "crashed signal:SIGKILL")
	two.says("print(x)", "2")
	one.says("print(x, open('mark').read())", "1 one")
	numbers := func(n *notebook) string { return n.cell("import random\nprint(random.random(), os.urandom(4))").out }
	if a, b := numbers(one), numbers(two); a == b || a == "" {
		t.Errorf("both drew %q", a)
	}
}

func nothingLeft(t *testing.T, s Setup) {
	for i := range 3 {
		n := begin(t, s, cellwall.Limits{})
		n.says("import os\nprint('x' in globals(), os.listdir('.'), [f for f in os.listdir('/tmp') + os.listdir('/dev/shm') if f == 'mark'])", "False [] []")
		n.says("x = 1\nfor d in ('.', '/tmp', '/dev/shm'): open(d + '/mark', 'w').close()\nif os.fork() == 0:\n    while True: pass", "")
		n.died(n.cell("os._exit("+strconv.Itoa(i+1)+")"), "")
		n.says("print(x)", "1")
	}
}

// severalAtOnce interleaves sessions that die.
func severalAtOnce(t *testing.T, s Setup) {
	var all []*notebook
	for i := range shorter(24, 6) {
		n := begin(t, s, cellwall.Limits{})
		n.says("x = "+strconv.Itoa(i), "")
		all = append(all, n)
	}
	done := make(chan string)
	for i, n := range all {
		go func() {
			var bad []string
			for range 3 {
				got, err := n.try(t.Context(), n.code("x = -1\nimport os\nos._exit(3)"), nil)
				if err != nil || got.Restored == nil || got.Restored.Checkpoint == "" {
					bad = append(bad, fmt.Sprintf("session %d: %+v, %v", i, got.End, err))
				}
				got, err = n.try(t.Context(), n.code("print(x)"), nil)
				if err != nil || got.out != strconv.Itoa(i)+"\n" {
					bad = append(bad, fmt.Sprintf("session %d printed %q, %v", i, got.out, err))
				}
			}
			done <- strings.Join(bad, "; ")
		}()
	}
	for range all {
		if bad := <-done; bad != "" {
			t.Error(bad)
		}
	}
}
