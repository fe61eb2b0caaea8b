package backendtest

import (
	"context"
	"errors"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pentest"
)

// asCell runs a request as the second cell of a session of its own.
func (s Setup) asCell(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	cells, begun, err := s.Session(ctx, req)
	if err != nil || cells == nil {
		return begun, err
	}
	defer cells.Close()
	if !begun.OK {
		return begun, nil
	}
	first, err := cells.Cell(ctx, cellwall.Request{Code: "_first = 41"}, 1, ignore)
	if err != nil {
		return nil, err
	}
	if !first.OK {
		return nil, errors.New("the first cell ended as " + string(first.Status))
	}
	return cells.Cell(ctx, req, 2, ignore)
}

// runCorpus lets the hostile corpus loose as cells, its starred rows in the fast
// tier: it is the same wall.
func runCorpus(t *testing.T, s Setup) {
	inCells := s.target()
	inCells.Execute, inCells.Stream = s.asCell, nil
	ground, err := pentest.NewGround(t.Context(), inCells, hostCanary(t))
	if err != nil {
		t.Fatal(err)
	}
	cases := abuse.Starred()
	if testkit.Long() {
		cases = abuse.All()
	}
	for _, c := range cases {
		if why := notOfCells(c); why != "" {
			t.Logf("%s (%s) is not a cell's: %s", c.ID, c.Title, why)
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Run("attack", func(t *testing.T) { demand(t, c, ground.Attack) })
			t.Run("sibling", func(t *testing.T) { demand(t, c, ground.Sibling) })
		})
	}
}

// notOfCells says why a row of the corpus is none for a cell; "" = it is one.
func notOfCells(c abuse.Case) string {
	switch {
	case len(c.Attack.Callers) > 0:
		return "it is about who asks for a run and listens"
	case c.ID == "F27":
		return "the file system has room for the copies of checkpoints; more than the workspace's own limit is told when the cell ends"
	}
	return ""
}
