package session

import (
	"context"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM40_ABranchBesideItsOriginHasItsHistoryAndBudget(t *testing.T) {
	var made []*kernel
	k := newKernel()
	s := create(t, k, Options{PerTenant: 2, Beside: besides(&made), Meter: func(cellwall.Identity) Meter { return &purse{left: 5} }})
	run(t, s, "a", "die", "b")
	branch, lost, result, err := s.Beside(t.Context(), Beside{})
	if err != nil || len(lost) != 1 || !result.OK {
		t.Fatalf("lost %v, %+v, %v", lost, result, err)
	}
	run(t, branch, "c")
	run(t, s, "d")
	if got := lives(branch); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the branch grew from %q", got)
	}
	if got := lives(s); !slices.Equal(got, []string{"a", "b", "d"}) {
		t.Errorf("the origin grew from %q", got)
	}
	if n := branch.Info().Cells; n != 4 || made[0].numbers[0] != 4 {
		t.Errorf("numbers went on at %v, %d cells", made[0].numbers, n)
	}
	if _, err := branch.Undo(t.Context()); err != nil || !slices.Equal(lives(branch), []string{"a", "b"}) {
		t.Errorf("undone the branch grew from %q, %v", lives(branch), err)
	}
	if _, err := branch.Undo(t.Context()); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("undo behind what it began with: %v", err)
	}
	if r := run(t, branch, "e"); r.Status != cellwall.StatusRefused {
		t.Errorf("a sixth cell of both ended %s", r.Status)
	}
	if _, _, _, err := branch.Beside(t.Context(), Beside{}); cellwall.CodeOf(err) != cellwall.CodeRateLimited {
		t.Errorf("a third of two sessions: %v", err)
	}
}

func TestM40_ARunningCellKeepsABranchAwayOrIsDropped(t *testing.T) {
	var made []*kernel
	k := newKernel()
	k.began = make(chan string, 1)
	s := create(t, k, Options{Beside: besides(&made)})
	ended := make(chan *cellwall.Result, 1)
	go func() {
		r, _ := s.Cell(context.Background(), Cell{Code: "wait"}, nil)
		ended <- r
	}()
	<-k.began
	if _, _, _, err := s.Beside(t.Context(), Beside{}); cellwall.CodeOf(err) != cellwall.CodeConflict || len(made) > 0 {
		t.Errorf("beside a cell: %v", err)
	}
	if _, _, _, err := s.Beside(t.Context(), Beside{Drop: true}); err != nil || len(made) != 1 {
		t.Errorf("dropping it: %v", err)
	}
	if r := <-ended; r.Status != cellwall.StatusCancelled {
		t.Errorf("the cell ended %s", r.Status)
	}
}

func TestM40_ABackendThatCannotCarryAStateSaysSo(t *testing.T) {
	s := create(t, newKernel(), Options{})
	if _, _, _, err := s.Beside(t.Context(), Beside{}); cellwall.CodeOf(err) != cellwall.CodeProtectionMissing {
		t.Errorf("beside: %v", err)
	}
}
