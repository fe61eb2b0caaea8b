package native_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// back rolls back, which must succeed.
func (n *notebook) back(to cellwall.Return) cellwall.Restored {
	n.t.Helper()
	got, err := n.Interpreter.(cellwall.Checkpointer).Rollback(n.t.Context(), to)
	if err != nil {
		n.t.Fatalf("roll back to %q: %v", to.To, err)
	}
	return got
}

func (n *notebook) checkpoints() []cellwall.Checkpoint {
	n.t.Helper()
	list, err := n.Interpreter.(cellwall.Checkpointer).Checkpoints(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	return list
}

// tip is the checkpoint that the live state grows from.
func (n *notebook) tip() cellwall.Checkpoint {
	n.t.Helper()
	for _, c := range n.checkpoints() {
		if c.Live {
			return c
		}
	}
	n.t.Fatal("no checkpoint is live")
	return cellwall.Checkpoint{}
}

func TestM40_RollbackGoesToAnyKeptCheckpoint(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("x = [0]", "")
	first := n.tip()
	for i := 1; i <= 3; i++ {
		n.says(fmt.Sprintf("x.append(%d)\nopen('f', 'w').write(str(x))", i), "")
	}
	if got := n.back(cellwall.Return{}); got.Cells != 1 {
		t.Errorf("undo left %d cells behind, want 1", got.Cells)
	}
	n.says("print(x, open('f').read())", "[0, 1, 2] [0, 1, 2]")
	if got := n.back(cellwall.Return{To: first.ID}); got.Checkpoint != first.ID || got.Cells != 3 || !got.Files {
		t.Errorf("%+v, want to be at %s, 3 cells back, files too", got, first.ID)
	}
	n.says("import os\nprint(x, os.listdir())", "[0] []")
	n.says("x.append('b')", "")
	branch := n.tip()
	if list := n.checkpoints(); branch.Parent == "" || len(list) != 8 {
		t.Errorf("%d checkpoints, the newest below %q; want 8 and a parent", len(list), branch.Parent)
	}
	n.back(cellwall.Return{To: first.ID})
	if got := n.cell("import os\nos._exit(1)"); got.Restored == nil || got.Restored.Checkpoint != first.ID {
		t.Errorf("a cell that died went back to %+v, want the state that it began with", got.Restored)
	}
	n.says("print(x)", "[0]")
}

// Whatever way is taken through ten branches, each is found as it was left.
func TestM40_BranchesAreWalkedAtRandom(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{Checkpoints: 64})
	n.says("path = ''", "")
	type branch struct{ id, path string }
	known := []branch{{n.tip().ID, ""}}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		from := known[random.IntN(len(known))]
		n.back(cellwall.Return{To: from.id})
		n.says("print(path)", from.path)
		if len(known) < 10 {
			path := from.path + string(rune('a'+i))
			n.says(fmt.Sprintf("path += %q[-1]", path), "")
			known = append(known, branch{n.tip().ID, path})
		}
	}
}

func TestM40_AnUnknownCheckpointIsNotFoundAndTheStateUntouched(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	n.says("x = 1", "")
	keeper := n.Interpreter.(cellwall.Checkpointer)
	_, err := keeper.Rollback(t.Context(), cellwall.Return{To: "cp_nowhere"})
	if cellwall.CodeOf(err) != cellwall.CodeNotFound || !strings.Contains(err.Error(), n.tip().ID) {
		t.Errorf("%v; want not found, and those that are kept", err)
	}
	n.says("x += 1", "")
	n.whenOn(t.Context(), loop, func() {
		if _, err := keeper.Rollback(t.Context(), cellwall.Return{}); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("while a cell runs: %v, want conflict", err)
		}
		if _, err := keeper.Checkpoints(t.Context()); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("a list while a cell runs: %v, want conflict", err)
		}
		n.interrupt()
	})
	n.says("print(x)", "2")
}

func TestM40_CheckpointsAreBoundedInNumberAndMemory(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	n := begin(t, b, cellwall.Limits{Checkpoints: 4})
	for i := range 8 {
		n.says(fmt.Sprintf("x = %d", i), "")
	}
	list := n.checkpoints()
	if len(list) != 4 || !list[3].Live {
		t.Fatalf("%d checkpoints, want the newest 4", len(list))
	}
	n.back(cellwall.Return{To: list[0].ID})
	n.says("print(x)", "4")

	const limit = 512 * cellwall.MiB
	n = begin(t, b, cellwall.Limits{MemoryBytes: limit})
	n.says("import time\nbig = bytearray(b'x' * (40 << 20))", "")
	for range 6 { // each takes long enough to be worth a checkpoint
		n.says("for i in range(0, len(big), 4096): big[i] ^= 1\ntime.sleep(0.2)", "")
	}
	var sum int64
	list = n.checkpoints()
	for _, c := range list {
		sum += c.Bytes
	}
	if sum > limit/4 || sum < 40*cellwall.MiB || len(list) < 3 {
		t.Errorf("%d checkpoints hold %d bytes, want some, and at most a quarter of %d", len(list), sum, limit)
	}
}

func TestM40_AStateWithoutRoomIsNotCheckpointedAndSaysSo(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{MemoryBytes: 256 * cellwall.MiB})
	n.says("x = 1", "")
	kept := n.tip()
	n.says("big = bytearray(200 << 20)\nfor i in range(0, len(big), 4096): big[i] = 1", "")
	if got := n.cell("x = 2"); got.Status != cellwall.StatusOK || !got.noticed("checkpoint_too_large") {
		t.Errorf("it ended %s and was told %v, want that there is no checkpoint", got.Status, got.kinds())
	}
	got := n.cell("import os\nos._exit(1)")
	if got.Restored == nil || got.Restored.Checkpoint != kept.ID || got.Restored.Cells != 3 {
		t.Errorf("restored %+v, want to be at %s, 3 cells back", got.Restored, kept.ID)
	}
	n.says("print(x)", "1")
}

// What is skipped is said beforehand, and how far a death goes back.
func TestM40_ASkippedCheckpointIsToldAndNotPretended(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{MemoryBytes: cellwall.GiB})
	n.says("import numpy as np\nvalues = np.ones(200 << 17)\nx = 0", "")
	told := ""
	cells := 0
	for range 100 {
		got := n.cell("values += 1\nx += 1")
		if cells++; got.noticed("checkpoint_skipped") {
			told = fmt.Sprint(cells)
			break
		}
	}
	if told == "" {
		t.Fatalf("%d cells changed 200 MB each, and no checkpoint was skipped", cells)
	}
	got := n.cell("import os\nos._exit(1)")
	if got.Restored == nil || got.Restored.Cells < 2 {
		t.Fatalf("restored %+v, want more than the cell that died to be gone", got.Restored)
	}
	n.says("print(x == values[0] - 1, x)", fmt.Sprintf("True %d", cells+1-got.Restored.Cells))
}
