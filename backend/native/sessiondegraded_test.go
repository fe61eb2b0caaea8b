package native_test

import (
	"errors"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// Nobody is promised a checkpoint that cannot be kept out of a cell's memory
// limit: it is said at the beginning, and a cell that dies ends the session.
func TestM40_WithoutGroupsADeadCellEndsTheSession(t *testing.T) {
	prepareChild(t)
	testkit.RunInSubprocess(t, asNobody(), func(t *testing.T) {
		n, first := beginDegraded(t, open(t), cellwall.Limits{}, true)
		if !first.noticed("checkpoint_unavailable") {
			t.Errorf("nothing was said of checkpoints, only %v", first.kinds())
		}
		n.says("x = 1", "")
		if spent, measured := n.Interpreter.(cellwall.Metered).Between(); measured || spent != 0 {
			t.Errorf("%v between cells, measured %v: there is nothing to measure by", spent, measured)
		}
		got := n.whenOn(t.Context(), loop, n.interrupt)
		if got.Status != cellwall.StatusError || got.Restored != nil {
			t.Errorf("an interrupted cell ended %s, restored %+v", got.Status, got.Restored)
		}
		n.says("print(x)", "2")
		got = n.cell("import os\nos._exit(7)")
		if got.Status != cellwall.StatusCrashed || got.Restored == nil || got.Restored.Checkpoint != "" {
			t.Errorf("the cell ended %s, restored %+v; want crashed, and nothing to go back to", got.Status, got.Restored)
		}
		if _, err := n.Cell(t.Context(), n.code("pass"), nil); !errors.Is(err, cellwall.ErrSessionOver) {
			t.Errorf("a cell after that: %v, want ErrSessionOver", err)
		}
	})
}

func TestM40_StateLivesOnForAUserWhoWasGivenGroups(t *testing.T) {
	prepareChild(t)
	child := asNobody()
	if !testkit.InChild(t) {
		t.Setenv(cgroup.BaseVariable, giveGroups(t, child))
	}
	testkit.RunInSubprocess(t, child, func(t *testing.T) {
		b := open(t)
		for _, death := range deaths[:3] {
			n, first := beginDegraded(t, b, cellwall.Limits{MemoryBytes: 256 * cellwall.MiB}, true)
			if first.noticed("checkpoint_unavailable") {
				t.Error("no checkpoint is to be had, and there are groups")
			}
			n.says("x = 41", "")
			code := n.code(death.source)
			code.Timeout = testkit.Scale(cellwall.DefaultLimits().Timeout) / 8
			got := n.run(t.Context(), code)
			if end := string(got.Status) + " " + string(got.Cause); end != death.want {
				t.Errorf("%s: the cell ended %s, want %s", death.name, end, death.want)
			}
			n.says("print(x + 1)", "42")
		}
	})
}
