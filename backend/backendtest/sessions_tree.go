package backendtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// runTree holds checkpoints to what a Checkpointer promises.
func runTree(t *testing.T, s Setup) {
	t.Run("TheyAreListedWithTheirParents", func(t *testing.T) { lists(t, s) })
	t.Run("RollbackTakesVariablesAndFilesTogether", func(t *testing.T) { together(t, s) })
	t.Run("RollbackConsumesNothing", func(t *testing.T) { repeats(t, s) })
	t.Run("RollbackWithoutATargetUndoesTheLastCell", func(t *testing.T) { newest(t, s) })
	t.Run("ACellThatDiesAfterARollbackGoesBackThere", func(t *testing.T) { diesAfter(t, s) })
	t.Run("AnUnknownOneIsNotFoundAndNamesTheKept", func(t *testing.T) { unknown(t, s) })
	t.Run("RollbackWhileACellRunsIsAConflict", func(t *testing.T) { conflicts(t, s) })
	t.Run("TheOldestGoWhenThereAreTooMany", func(t *testing.T) { oldestGo(t, s) })
	t.Run("BranchesDifferUnlessASeedWasSet", func(t *testing.T) { reseeds(t, s) })
	t.Run("AStateTooLargeIsToldAndTheSessionGoesOn", func(t *testing.T) { tooLarge(t, s) })
	t.Run("TenBranchesWalkedAtRandom", func(t *testing.T) { walk(t, s) })
}

func lists(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	var executions []string
	for range 3 {
		c := k.code("pass")
		executions = append(executions, c.Execution)
		k.run(c)
	}
	all := k.list()
	if len(all) < 3 {
		t.Fatalf("listed are %+v", all)
	}
	for i, c := range all {
		switch {
		case !cellwall.ValidID(cellwall.PrefixCheckpoint, c.ID), c.At.IsZero(), !c.Files, c.Bytes < c.FileBytes:
			t.Errorf("checkpoint %d is %+v", i, c)
		case i == 0 && c.Parent != "", i > 0 && c.Parent != all[i-1].ID, i > 0 && c.At.Before(all[i-1].At):
			t.Errorf("checkpoint %d does not follow the one before it: %+v", i, all)
		case c.Live != (i == len(all)-1):
			t.Errorf("checkpoint %d is live: %v", i, c.Live)
		}
	}
	for i, c := range all[len(all)-3:] {
		if c.Execution != executions[i] {
			t.Errorf("checkpoint after %s says %s", executions[i], c.Execution)
		}
	}
}

func together(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	first := k.at().ID
	k.says(turn(2)+"\nopen('later', 'w').close()\ny = 1", "")
	second := k.at().ID
	if r := k.back(cellwall.Return{To: first}); !r.Files || r.Cells != 1 || len(r.Lost) > 0 {
		t.Errorf("restored %+v", r)
	}
	k.says("import os\nprint(x, open('f').read(), os.listdir('.'), 'y' in globals())", "1 1 ['f'] False")
	k.back(cellwall.Return{To: second}) // and forward
	k.says("import os\nprint(x, open('f').read(), sorted(os.listdir('.')), y)", "2 2 ['f', 'later'] 1")
}

func repeats(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{Checkpoints: 32})
	k.says(turn(1), "")
	to := k.at().ID
	for i := range 10 {
		k.says(turn(10+i), "")
		k.back(cellwall.Return{To: to})
		k.has(1)
	}
}

func newest(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	at := k.at().ID
	k.says("import os\nx = 2\nos.remove('f')", "")
	if r := k.back(cellwall.Return{}); r.Checkpoint != at {
		t.Errorf("went back to %s, want %s", r.Checkpoint, at)
	}
	k.has(1)
}

func diesAfter(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	to := k.at().ID
	k.says(turn(2), "")
	k.back(cellwall.Return{To: to})
	got := k.cell("import os\nx = 9\nos.remove('f')\nos._exit(3)")
	k.died(got, "crashed exit:3")
	if got.Restored.Checkpoint != to {
		t.Errorf("went back to %s, want %s", got.Restored.Checkpoint, to)
	}
	k.has(1)
}

func unknown(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	at := k.at().ID
	for _, id := range []string{cellwall.NewID(cellwall.PrefixCheckpoint), "nonsense"} {
		_, err := k.Rollback(t.Context(), cellwall.Return{To: id})
		if cellwall.CodeOf(err) != cellwall.CodeNotFound || !strings.Contains(fmt.Sprint(err, cellwall.HintOf(err)), at) {
			t.Errorf("roll back to %q: %v (%s), want not found and %s named", id, err, cellwall.HintOf(err), at)
		}
	}
	k.has(1)
}

func conflicts(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	k.says(turn(1), "")
	at := k.at().ID
	got := k.whenOn(turn(3)+"\n"+busy, func() error {
		if _, err := k.Rollback(t.Context(), cellwall.Return{To: at}); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("roll back beside a cell: %v, want a conflict", err)
		}
		return k.Interrupt("")
	})
	if got.Status != cellwall.StatusError || got.Restored != nil {
		t.Errorf("the cell ended %s %s, restored %+v", got.Status, got.Cause, got.Restored)
	}
	k.says(look, "2 3") // busy has set x
}

func oldestGo(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{Checkpoints: 3})
	first := k.list()[0].ID
	var last string
	for i := range 8 {
		k.says(turn(i), "")
		all := k.list()
		if len(all) > 3 {
			t.Errorf("%d are kept, want at most 3", len(all))
		}
		last = all[len(all)-1].ID
	}
	if _, err := k.Rollback(t.Context(), cellwall.Return{To: first}); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("the first is still there, or: %v", err)
	}
	k.says(turn(9), "")
	k.back(cellwall.Return{To: last})
	k.has(7)
}

func reseeds(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{})
	const draw = "print(random.random(), numpy.random.rand(), g.random())"
	draws := func(to string, reseed bool) (all []string) {
		for range 2 {
			k.back(cellwall.Return{To: to, Reseed: reseed})
			all = append(all, k.cell(draw).out)
		}
		return all
	}
	k.says("import random, numpy\ng = numpy.random.default_rng()", "")
	to := k.at().ID
	if same := draws(to, false); same[0] != same[1] || same[0] == "" {
		t.Errorf("one checkpoint gave %q", same)
	}
	if differ := draws(to, true); differ[0] == differ[1] {
		t.Errorf("two branches drew the same: %q", differ)
	}
	k.back(cellwall.Return{To: to})
	k.says("random.seed(1); numpy.random.seed(1)\ng = numpy.random.default_rng(1)", "")
	if seeded := draws(k.at().ID, true); seeded[0] != seeded[1] {
		t.Errorf("seeds were not kept: %q", seeded)
	}
}

func tooLarge(t *testing.T, s Setup) {
	k := beginKeeper(t, s, cellwall.Limits{MemoryBytes: 256 * cellwall.MiB})
	k.says("x = 1", "")
	at := k.at().ID
	k.says("import numpy\nbig = numpy.ones(25 << 20)\nx = 2", "") // 200 MiB
	got := k.cell("print(x)")
	if got.out != "2\n" || !strings.HasPrefix(got.noCheckpoint(), "checkpoint_too_large") {
		t.Errorf("printed %q and was told %v", got.out, got.notices)
	}
	k.says("print(x, big[7])", "2 1.0")
	if now := k.at().ID; now != at {
		t.Errorf("the live state grows from %s, want %s", now, at)
	}
	k.says("del big", "")
	k.says("print(x)", "2")
	if k.at().ID == at {
		t.Error("no checkpoint was taken of a state that is small again")
	}
}
