package native_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// counting leaves a thread and a child of an earlier cell that go on counting.
const counting = `
import threading, time, os
def count(name):
    n = 0
    while True:
        n += 1
        with open(name, 'w') as f: f.write(str(n))
        time.sleep(0.001)
threading.Thread(target=count, args=('thread',), daemon=True).start()
if os.fork() == 0: count('child')`

func pauser(t *testing.T, n *notebook) cellwall.Pauser {
	t.Helper()
	h, err := cgroup.Detect()
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mounts), " cgroup2 rw") {
		t.Skipf("skip, proof: no tree of version 2 is mounted writable here, groups are of %s", h.Version)
	}
	return n.Interpreter.(cellwall.Pauser)
}

func TestM40_APausedSessionRunsNothingAndKeepsItsState(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	p := pauser(t, n)
	n.says("x = 41", "")
	n.says(counting, "")
	files, err := n.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, name := range []string{"thread", "child"} {
			goesOn(t, files, name)
		}
		pause(t, p, 2)
		at := counted(t, files)
		time.Sleep(100 * time.Millisecond)
		if now := counted(t, files); now != at {
			t.Errorf("a paused session counted from %s to %s", at, now)
		}
		if _, err := n.Cell(t.Context(), n.code("pass"), nil); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("a cell of a paused session: %v, want a conflict", err)
		}
		if _, err := n.Ask(t.Context(), cellwall.Question{Kind: cellwall.AskVariables}); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("a question to a paused session: %v, want a conflict", err)
		}
		if _, err := n.Workspace(); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("the files of a paused session: %v, want a conflict", err)
		}
		resume(t, p, 2)
		n.says("print(x + 1)", "42")
	}
}

// counted is what thread and child have counted to.
func counted(t *testing.T, files fs.FS) string {
	t.Helper()
	var all []string
	for _, name := range []string{"thread", "child"} {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, " ")
}

func goesOn(t *testing.T, files fs.FS, name string) {
	t.Helper()
	first, _ := fs.ReadFile(files, name)
	for end := time.Now().Add(testkit.Scale(20 * time.Second)); ; time.Sleep(time.Millisecond) {
		if now, err := fs.ReadFile(files, name); err == nil && len(now) > 0 && string(now) != string(first) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not go on", name)
		}
	}
}

func pause(t *testing.T, p cellwall.Pauser, times int) {
	t.Helper()
	for range times { // again does nothing
		if err := p.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func resume(t *testing.T, p cellwall.Pauser, times int) {
	t.Helper()
	for range times {
		if err := p.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A paused session can be ended, and one that died while it was paused is over.
func TestM40_APausedSessionCanBeClosed(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	n := begin(t, b, cellwall.Limits{})
	p := pauser(t, n)
	n.says(counting, "")
	pause(t, p, 1)
	done := make(chan error, 1)
	go func() { done <- n.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testkit.Scale(20 * time.Second)):
		t.Fatal("a paused session cannot be closed")
	}
	if err := p.Resume(context.Background()); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("resume of a closed session: %v", err)
	}
}

// A cell that dies after a pause goes back like any other.
func TestM40_APauseIsNoHindranceToARollback(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	p := pauser(t, n)
	n.says("x = 41", "")
	for range 2 {
		pause(t, p, 1)
		resume(t, p, 1)
		got := n.cell("import os\nos._exit(7)")
		if got.Restored == nil || got.Restored.Checkpoint == "" {
			t.Fatalf("restored %+v", got.Restored)
		}
		n.says("print(x + 1)", "42")
	}
}

func TestM40_WithoutGroupsAPauseIsRefused(t *testing.T) {
	prepareChild(t)
	testkit.RunInSubprocess(t, asNobody(), func(t *testing.T) {
		n, _ := beginDegraded(t, open(t), cellwall.Limits{}, true)
		err := n.Interpreter.(cellwall.Pauser).Pause(t.Context())
		if cellwall.CodeOf(err) != cellwall.CodeProtectionMissing || cellwall.HintOf(err) == "" {
			t.Errorf("pause: %v, want protection_missing with a hint", err)
		}
		n.says("print(1)", "1")
	})
}
