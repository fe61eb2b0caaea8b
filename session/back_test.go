package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cellwall/cellwall"
)

// lives returns the code of the cells that the live state grew from.
func lives(s *Session) (codes []string) {
	for _, e := range s.History() {
		if e.Live {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

func TestM40_HistoryKnowsWhichCellsTheStateGrewFrom(t *testing.T) {
	undo := func(t *testing.T, s *Session) {
		if _, err := s.Undo(t.Context()); err != nil {
			t.Error(err)
		}
	}
	to := func(id string) func(*testing.T, *Session) {
		return func(t *testing.T, s *Session) {
			if back, err := s.Rollback(t.Context(), cellwall.Return{To: id}); err != nil || back.Checkpoint != id {
				t.Error(back, err)
			}
		}
	}
	cells := func(codes ...string) func(*testing.T, *Session) {
		return func(t *testing.T, s *Session) { run(t, s, codes...) }
	}
	branch := func(name string) func(*testing.T, *Session) {
		return func(t *testing.T, s *Session) {
			if _, err := s.Branch(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
	}
	type steps = []func(*testing.T, *Session)
	for _, test := range []struct {
		name  string
		steps steps
		want  []string
	}{
		{"good cells", steps{cells("1", "2", "fail")}, []string{"1", "2", "fail"}},
		{"a death leaves nothing", steps{cells("1", "die", "2")}, []string{"1", "2"}},
		{"the first one dies", steps{cells("die", "1")}, []string{"1"}},
		{"a death takes cells without a checkpoint along", steps{cells("1", "skip a", "skip b", "die", "2")}, []string{"1", "2"}},
		{"undo", steps{cells("1", "2"), undo}, []string{"1"}},
		{"undo twice", steps{cells("1", "2"), undo, undo}, nil},
		{"undo after a death means the last good one", steps{cells("1", "2", "die"), undo}, []string{"1"}},
		{"undo of a cell without a checkpoint", steps{cells("1", "skip a"), undo}, []string{"1"}},
		{"undo, then on", steps{cells("1", "2"), undo, cells("3"), undo, cells("4", "5")}, []string{"1", "4", "5"}},
		{"far back", steps{cells("1", "2", "3", "4"), to("cp_1"), cells("5")}, []string{"1", "5"}},
		{"to the beginning", steps{cells("1", "2"), to("cp_0"), cells("3")}, []string{"3"}},
		{"there and back", steps{cells("1", "2", "3"), to("cp_1"), to("cp_3")}, []string{"1", "2", "3"}},
		{"on a branch", steps{cells("1"), branch("b"), cells("2"), branch("main"), cells("3")}, []string{"1", "3"}},
		{"back on the branch", steps{cells("1"), branch("b"), cells("2"), branch("main"), cells("3"), branch("b"), cells("4")}, []string{"1", "2", "4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newKernel()
			s := create(t, k, Options{})
			for _, step := range test.steps {
				step(t, s)
			}
			if got := lives(s); !slices.Equal(got, test.want) {
				t.Errorf("live cells %v, want %v", got, test.want)
			}
			state := slices.DeleteFunc(slices.Clone(k.state), func(c string) bool { return c == "reseeded" })
			if !slices.Equal(state, test.want) {
				t.Errorf("the state is %v, so the test is wrong", state)
			}
		})
	}
}

func TestM40_BranchesAreNamesForLinesOfCheckpoints(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	run(t, s, "1")
	made, err := s.Branch(t.Context(), "试验-2")
	if err != nil || !made.New || made.Checkpoint != "cp_1" || made.Restored != nil || made.Unkept != 0 {
		t.Errorf("%+v, %v", made, err)
	}
	if same, err := s.Branch(t.Context(), "试验-2"); err != nil || same.New || same.Restored != nil {
		t.Errorf("the live one: %+v, %v", same, err)
	}
	run(t, s, "2", "skip a")
	back, err := s.Branch(t.Context(), Main)
	if err != nil || back.New || back.Checkpoint != "cp_1" || back.Restored == nil || back.Unkept != 1 {
		t.Errorf("%+v, %v", back, err)
	}
	// Reseeded, so that two branches differ.
	if want := []string{"1", "reseeded"}; !slices.Equal(k.state, want) {
		t.Errorf("state %v, want %v", k.state, want)
	}
	if i := s.Info(); i.Branch != Main || !slices.Equal(i.Branches, []string{Main, "试验-2"}) {
		t.Errorf("branches %v, live %s", i.Branches, i.Branch)
	}
	if h := s.History(); h[0].Branch != Main || h[1].Branch != "试验-2" {
		t.Errorf("history %+v", h)
	}
}

// misuse is a row of bad input: an error that names what is allowed, and a state
// that nobody touched.
type misuse struct {
	name string
	do   func(t *testing.T, s *Session, k *kernel) error
	code cellwall.ErrorCode
	want []string // in error or hint
}

func (test misuse) check(t *testing.T) {
	t.Run(test.name, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		run(t, s, "1", "2")
		err := test.do(t, s, k)
		said := fmt.Sprint(err, "; ", cellwall.HintOf(err))
		if cellwall.CodeOf(err) != test.code {
			t.Errorf("error %s", said)
		}
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%q does not say %q", said, want)
			}
		}
		if want := []string{"1", "2"}; !slices.Equal(k.state, want) {
			t.Errorf("state %v", k.state)
		}
		if i := s.Info(); i.State != Ready {
			t.Errorf("the session is %s", i.State)
		}
	})
}

func TestM40_WhatCannotBeGoneBackToIsNamed(t *testing.T) {
	for _, test := range []misuse{
		{"an unknown checkpoint", func(t *testing.T, s *Session, _ *kernel) error {
			_, err := s.Rollback(t.Context(), cellwall.Return{To: "cp_9"})
			return err
		}, cellwall.CodeNotFound, []string{"cp_9", "kept are cp_0, cp_1, cp_2"}},
		{"undo where nothing is left", func(t *testing.T, s *Session, k *kernel) error {
			k.drop("cp_0")
			k.drop("cp_1")
			k.points[0].Parent = ""
			_, err := s.Undo(t.Context())
			return err
		}, cellwall.CodeConflict, []string{"nothing is left to undo", "kept are cp_2"}},
		{"undo without any checkpoint", func(t *testing.T, s *Session, k *kernel) error {
			k.points = nil
			_, err := s.Undo(t.Context())
			return err
		}, cellwall.CodeConflict, []string{"no checkpoint"}},
	} {
		test.check(t)
	}
}

func TestM40_WhatIsNoBranchIsNamed(t *testing.T) {
	for _, test := range []misuse{
		{"a branch without any checkpoint", func(t *testing.T, s *Session, k *kernel) error {
			k.points = nil
			_, err := s.Branch(t.Context(), "b")
			return err
		}, cellwall.CodeConflict, []string{"no checkpoint"}},
		{"a branch beyond the limit", func(t *testing.T, s *Session, _ *kernel) error {
			for i := range cellwall.DefaultLimits().Checkpoints - 1 {
				if _, err := s.Branch(t.Context(), fmt.Sprint("b", i)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.Branch(t.Context(), "more")
			return err
		}, cellwall.CodeConflict, []string{"there are 16 already", "main, b0, b1"}},
		{"a branch whose checkpoint is gone", func(t *testing.T, s *Session, k *kernel) error {
			if _, err := s.Branch(t.Context(), "b"); err != nil {
				t.Fatal(err)
			}
			run(t, s, "3")
			k.state = []string{"1", "2"} // as the test wants to find it
			k.drop("cp_2")
			_, err := s.Branch(t.Context(), Main)
			return err
		}, cellwall.CodeNotFound, []string{"main was dropped", "kept are cp_0, cp_1, cp_3"}},
		{"a branch without a name", func(t *testing.T, s *Session, _ *kernel) error {
			_, err := s.Branch(t.Context(), "")
			return err
		}, cellwall.CodeBadRequest, []string{"letters, digits"}},
		{"a name that is none", func(t *testing.T, s *Session, _ *kernel) error {
			_, err := s.Branch(t.Context(), "../b\x1b[2J")
			return err
		}, cellwall.CodeBadRequest, []string{"letters, digits"}},
		{"a name without end", func(t *testing.T, s *Session, _ *kernel) error {
			_, err := s.Branch(t.Context(), strings.Repeat("b", 65))
			return err
		}, cellwall.CodeBadRequest, []string{"at most 64"}},
	} {
		test.check(t)
	}
}

func TestM40_NothingChangesTheStateBehindTheBackOfACell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		run(t, s, "1")
		done := make(chan *cellwall.Result)
		go func() {
			r, _ := s.Cell(t.Context(), Cell{Code: "wait"}, nil)
			done <- r
		}()
		synctest.Wait()
		for name, change := range map[string]func() error{
			"rollback": func() error { _, err := s.Rollback(t.Context(), cellwall.Return{To: "cp_0"}); return err },
			"undo":     func() error { _, err := s.Undo(t.Context()); return err },
			"branch":   func() error { _, err := s.Branch(t.Context(), "b"); return err },
			"pause":    func() error { return s.Pause(t.Context()) },
		} {
			if err := change(); cellwall.CodeOf(err) != cellwall.CodeConflict || !strings.Contains(cellwall.HintOf(err), "interrupt it") {
				t.Errorf("%s while a cell runs: %v, hint %q", name, err, cellwall.HintOf(err))
			}
		}
		asked := make(chan error)
		go func() { _, err := s.Ask(t.Context(), cellwall.Question{Kind: cellwall.AskVariables}); asked <- err }()
		synctest.Wait()
		if len(k.asked) != 0 {
			t.Error("asked while a cell ran")
		}
		if err := s.Interrupt(); err != nil {
			t.Error(err)
		}
		if r := <-done; r.Error == nil || r.Error.Type != "KeyboardInterrupt" {
			t.Errorf("interrupted cell: %+v", r)
		}
		if err := <-asked; err != nil || len(k.asked) != 1 {
			t.Errorf("asked %v, %v", k.asked, err)
		}
		if want := []string{"1", "wait"}; !slices.Equal(k.state, want) {
			t.Errorf("state %v, want %v", k.state, want)
		}
	})
}

func TestM40_ARollbackOnRequestDropsTheCellThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{Queue: 2})
		run(t, s, "1", "2")
		type answer struct {
			r   *cellwall.Result
			err error
		}
		answers := make(chan answer, 3)
		for _, code := range []string{"wait", "never", "nor this"} { // the queue is full
			go func() {
				r, err := s.Cell(t.Context(), Cell{Code: code}, nil)
				answers <- answer{r, err}
			}()
			synctest.Wait()
		}
		back, err := s.Drop(t.Context(), cellwall.Return{To: "cp_1"})
		if err != nil || back.Checkpoint != "cp_1" {
			t.Fatalf("%+v, %v", back, err)
		}
		cancelled, turnedAway := 0, 0
		for range 3 {
			switch a := <-answers; {
			case a.err == nil && a.r.Status == cellwall.StatusCancelled:
				cancelled++
			case errors.Is(a.err, errDropped) && cellwall.CodeOf(a.err) == cellwall.CodeConflict && cellwall.HintOf(a.err) != "":
				turnedAway++
			default:
				t.Errorf("answer %+v, %v", a.r, a.err)
			}
		}
		if cancelled != 1 || turnedAway != 2 {
			t.Errorf("%d cancelled, %d turned away", cancelled, turnedAway)
		}
		run(t, s, "3")
		if want := []string{"1", "3"}; !slices.Equal(k.state, want) || !slices.Equal(lives(s), want) {
			t.Errorf("state %v, history %v", k.state, lives(s))
		}
		if _, err := s.Drop(t.Context(), cellwall.Return{To: "cp_9"}); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Errorf("an unknown one: %v", err)
		}
	})
}

// unrecorded goes back and cannot say so.
type unrecorded struct{ *kernel }

var errFull = errors.New("disk full")

func (u unrecorded) Rollback(ctx context.Context, to cellwall.Return) (cellwall.Restored, error) {
	back, err := u.kernel.Rollback(ctx, to)
	return back, errors.Join(err, errFull)
}

func TestM40_NamesFollowTheStateAlsoWithoutARecord(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	run(t, s, "1")
	if _, err := s.Branch(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	run(t, s, "2")
	s.live = unrecorded{k}
	if back, err := s.Branch(t.Context(), Main); !errors.Is(err, errFull) || back.Branch != Main {
		t.Errorf("%+v, %v", back, err)
	}
	if i := s.Info(); i.Branch != Main || !slices.Equal(lives(s), []string{"1"}) || i.State != Ready {
		t.Errorf("branch %s, history %v, %s", i.Branch, lives(s), i.State)
	}
}
