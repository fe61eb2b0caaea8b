package backendtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// runCorpus lets the hostile corpus loose as cells: it is the same wall. The
// fast tier has the wall's rows with a star, the long one those of the
// controller as well. One session serves every row that asks for nothing of its
// own; it goes back after each, and has to be as before the first one when all
// are through. The session beside it is the neighbour of every attack.
func runCorpus(t *testing.T, s Setup) {
	s.Execute, s.Stream = nil, nil // nothing here is a single run
	beside := neighbourhood(t, s)
	shared := arena(t, s)
	g := &pentest.Ground{Target: shared.target(false), Beside: &beside, Canary: hostCanary(t)}
	settled(t, beside, shared)
	reference, err := beside.Reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.Reference, g.Rest = reference, beside.AtRest(t.Context())
	rows := 0
	for _, c := range corpusOfCells() {
		t.Run(c.ID, func(t *testing.T) {
			rows++
			if fills[c.ID] {
				c.Attack.Limits.CheckpointBytes = 1
			}
			row := *g
			row.Target = shared.target(alone[c.ID] != "")
			t.Run("attack", func(t *testing.T) { demand(t, c, row.Attack) })
			t.Run("sibling", func(t *testing.T) { demand(t, c, row.Sibling) })
		})
	}
	t.Logf("one session took %d cells in %d rows, and was taken back behind %d of them", shared.cells.n, rows, shared.returns)
	if shared.returns < rows {
		t.Errorf("it served only %d programs of %d rows", shared.returns, rows)
	}
	checkCanary(t, g.Canary)
}

// corpusOfCells is what a tier has.
func corpusOfCells() []abuse.Case {
	if testkit.Long() {
		return abuse.All()
	}
	return slices.DeleteFunc(abuse.Starred(), func(c abuse.Case) bool {
		return !slices.ContainsFunc(abuse.Catalogue(), func(r abuse.Row) bool { return r.ID == c.ID && r.Home == abuse.HomeWall })
	})
}

// alone are the rows that promise something to the next run: in a session that
// is another session, so each of their runs has one of its own. Between the
// cells of one session nothing of the kind is promised.
var alone = map[string]string{
	"R71": "keys are a user's, and a session has one",
	"D85": "/tmp and /dev/shm are a session's, and no part of a checkpoint",
}

// fills are the rows that fill the workspace. In a session its file system is
// larger, by the room for the files of checkpoints: a single cell can use that
// up, and what it has beyond the workspace's own limit is told when it ends
// (MoreThanTheWorkspaceIsTold). These rows get a session without such room, where
// the file system is as full as that of a single run.
var fills = map[string]bool{"F27": true, "F28": true}

// neighbourhood is a second session in which honest programs run as cells.
func neighbourhood(t *testing.T, s Setup) pentest.Target {
	t.Helper()
	target := s.target()
	cells, err := openCells(t.Context(), s, target.Request(cellwall.Request{Limits: cellwall.Limits{Checkpoints: arenaCheckpoints}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cells.Close)
	target.Execute = func(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
		return cells.take(ctx, req, ignore)
	}
	return target
}

// settled runs honest cells on both sides until each has as many checkpoints as
// it keeps: from then on what is more was left behind.
func settled(t *testing.T, beside pentest.Target, shared *stage) {
	t.Helper()
	for n := range arenaCheckpoints + 2 {
		for who, target := range map[string]pentest.Target{"the neighbour": beside, "the arena": shared.target(false)} {
			r, err := target.Run(t.Context(), cellwall.Request{Code: fmt.Sprintf("n = %d\nopen('mine.txt', 'w').close()", n)}, nil)
			if err != nil || !r.OK {
				t.Fatalf("%s: %+v, %v", who, r, err)
			}
		}
	}
}
