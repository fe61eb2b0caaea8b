package backendtest

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// runPause holds a session that is paused to what a Pauser promises.
func runPause(t *testing.T, s Setup) {
	t.Run("NothingOfItRuns", func(t *testing.T) { nothingRuns(t, s) })
	t.Run("EveryOtherCallIsAConflict", func(t *testing.T) { pausedConflicts(t, s) })
	t.Run("ItDoesNotHinderARollback", func(t *testing.T) { pausedGoesBack(t, s) })
	t.Run("ItCanBeClosed", func(t *testing.T) {
		n := begin(t, s, cellwall.Limits{})
		n.says(ticking, "")
		n.pause(true)
	})
	t.Run("WhileOldCheckpointsGo", func(t *testing.T) { pausesBesideEnds(t, s) })
}

// pause freezes or thaws, twice: the second time nothing is left to do.
func (n *notebook) pause(paused bool) {
	n.t.Helper()
	p, ok := n.Interpreter.(cellwall.Pauser)
	if !ok {
		n.t.Fatalf("a %T is no Pauser", n.Interpreter)
	}
	call := p.Resume
	if paused {
		call = p.Pause
	}
	if err := errors.Join(call(n.t.Context()), call(n.t.Context())); err != nil {
		n.t.Fatalf("paused %v: %v (%s)", paused, err, cellwall.HintOf(err))
	}
}

// ticking leaves a thread and a child that go on counting, each in a file.
const ticking = `
import os, threading, time
def tick(name):
    n = 0
    while True:
        n += 1
        with open(name, 'w') as f: f.write(str(n))
        time.sleep(0.001)
threading.Thread(target=tick, args=('thread',), daemon=True).start()
if os.fork() == 0: tick('child')`

func nothingRuns(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 41"+ticking, "")
	files, err := n.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		goesOn(t, files, "thread")
		goesOn(t, files, "child")
		n.pause(true)
		before := ticks(files)
		time.Sleep(100 * time.Millisecond)
		if after := ticks(files); after != before {
			t.Errorf("it went on from %q to %q", before, after)
		}
		n.pause(false)
		n.says("print(x + 1)", "42")
	}
}

func ticks(files fs.FS) [2]string {
	thread, _ := fs.ReadFile(files, "thread")
	child, _ := fs.ReadFile(files, "child")
	return [2]string{string(thread), string(child)}
}

func goesOn(t *testing.T, files fs.FS, name string) {
	t.Helper()
	first, _ := fs.ReadFile(files, name)
	for end := time.Now().Add(testkit.Scale(20 * time.Second)); ; time.Sleep(time.Millisecond) {
		now, err := fs.ReadFile(files, name)
		if err == nil && len(now) > 0 && string(now) != string(first) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s stands still at %q, %v", name, now, err)
		}
	}
}

func pausedConflicts(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	k.pause(true)
	_, cell := k.Cell(t.Context(), k.code("pass"), ignore)
	_, ask := k.Ask(t.Context(), cellwall.Question{Kind: cellwall.AskVariables})
	_, back := k.Rollback(t.Context(), cellwall.Return{})
	_, list := k.Checkpoints(t.Context())
	_, files := k.Workspace()
	for what, err := range map[string]error{"cell": cell, "question": ask, "rollback": back, "list": list, "workspace": files} {
		if err == nil || cellwall.CodeOf(err) != cellwall.CodeConflict || cellwall.HintOf(err) == "" {
			t.Errorf("%s: %v, want a conflict that says what helps", what, err)
		}
	}
	k.pause(false)
	k.has(1)
}

func pausedGoesBack(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	to := k.at().ID
	k.says(turn(2), "")
	for range 2 {
		k.pause(true)
		k.pause(false)
		k.died(k.cell(turn(3)+"\nimport os\nos._exit(3)"), "crashed exit:3")
		k.has(2)
	}
	k.back(cellwall.Return{To: to})
	k.pause(true)
	k.pause(false)
	k.has(1)
}

// pausesBesideEnds pauses right behind cells whose checkpoints take the place of
// others, which are still on their way out.
func pausesBesideEnds(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{Checkpoints: 1})
	for range 20 {
		n.says("x = 41", "")
		n.pause(true)
		n.pause(false)
	}
	n.died(n.cell("import os; os._exit(3)"), "crashed exit:3")
	n.says("print(x + 1)", "42")
}
