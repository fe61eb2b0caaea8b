package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// over checks that every call says that the session is over and why.
func over(t *testing.T, s *Session, why string) {
	t.Helper()
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"cell":        func() error { _, err := s.Cell(ctx, Cell{Code: "x"}, nil); return err },
		"rollback":    func() error { _, err := s.Rollback(ctx, cellwall.Return{}); return err },
		"undo":        func() error { _, err := s.Undo(ctx); return err },
		"branch":      func() error { _, err := s.Branch(ctx, "b"); return err },
		"pause":       func() error { return s.Pause(ctx) },
		"resume":      func() error { return s.Resume(ctx) },
		"ask":         func() error { _, err := s.Ask(ctx, cellwall.Question{}); return err },
		"checkpoints": func() error { _, err := s.Checkpoints(ctx); return err },
		"files":       func() error { _, _, err := s.Files(ctx); return err },
		"interrupt":   s.Interrupt,
		"get":         func() error { _, err := s.all.Get(s.ID(), cellwall.Identity{Tenant: "a"}); return err },
	} {
		err := call()
		if cellwall.CodeOf(err) != cellwall.CodeConflict || !errors.Is(err, cellwall.ErrSessionOver) || !strings.Contains(cellwall.HintOf(err), why) {
			t.Errorf("%s: %v, hint %q, want one that says %q", name, err, cellwall.HintOf(err), why)
		}
	}
	if i := s.Info(); i.State != Over || i.Ended == "" {
		t.Errorf("info %+v", i)
	}
}

func TestM40_ASessionEndsAndSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name, why string
		end       func(t *testing.T, s *Session)
	}{
		{"closed", "it was closed", func(t *testing.T, s *Session) {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}},
		{"idle", "nobody used it for 10m", func(*testing.T, *Session) { time.Sleep(10*time.Minute + time.Second) }},
		{"too old", "longest time", func(t *testing.T, s *Session) {
			for range 60 { // in use all the time
				run(t, s, "x")
				time.Sleep(4*time.Minute + time.Second)
			}
		}},
		{"nothing to go back to", "no state could be restored", func(t *testing.T, s *Session) { run(t, s, "end") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKernel()
				s := create(t, k, Options{})
				run(t, s, "x=41")
				test.end(t, s)
				<-s.gone
				over(t, s, test.why)
				if !k.closed {
					t.Error("the sandbox was not given up")
				}
				if h := s.History(); len(h) == 0 || h[0].Code != "x=41" {
					t.Errorf("history %+v", h)
				}
			})
		})
	}
}

func TestM40_TheEndCancelsTheCellThatRunsAndTurnsTheOthersAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		type answer struct {
			status cellwall.Status
			err    error
		}
		answers := make(chan answer, 2)
		for _, code := range []string{"wait", "never"} {
			go func() {
				r, err := s.Cell(t.Context(), Cell{Code: code}, nil)
				if err != nil {
					answers <- answer{err: err}
					return
				}
				answers <- answer{status: r.Status}
			}()
			synctest.Wait()
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var got []answer
		for range 2 {
			got = append(got, <-answers)
		}
		if !slices.ContainsFunc(got, func(a answer) bool { return a.status == cellwall.StatusCancelled }) ||
			!slices.ContainsFunc(got, func(a answer) bool { return errors.Is(a.err, cellwall.ErrSessionOver) }) {
			t.Errorf("answers %+v", got)
		}
		if !slices.Equal(k.state, []string{"wait"}) || !k.closed {
			t.Errorf("state %v, closed %v", k.state, k.closed)
		}
	})
}

func TestM40_APausedSessionIsNotIdleAndNoOlderThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		s := create(t, k, Options{})
		for range 2 { // a second one does nothing
			if err := s.Pause(t.Context()); err != nil || !k.paused {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		if i := s.Info(); i.State != Paused || !i.Expires.Equal(i.Began.Add(4*time.Hour)) {
			t.Errorf("info %+v", i)
		}
		_, err := s.Cell(t.Context(), Cell{Code: "x"}, nil)
		if cellwall.CodeOf(err) != cellwall.CodeConflict || !strings.Contains(cellwall.HintOf(err), "resume") {
			t.Errorf("a cell of a paused session: %v", err)
		}
		if err := s.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		run(t, s, "x")
		if i := s.Info(); i.State != Ready || time.Until(i.Expires) != 10*time.Minute {
			t.Errorf("info %+v", i)
		}
		if err := s.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Hour)
		<-s.gone
		over(t, s, "longest time")
	})
}

func TestM40_EveryUseKeepsASessionFromBeingIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := create(t, newKernel(), Options{Idle: time.Minute, Total: time.Hour})
		for range 4 {
			time.Sleep(50 * time.Second)
			if _, err := s.Ask(t.Context(), cellwall.Question{Kind: cellwall.AskVariables}); err != nil {
				t.Fatal(err)
			}
		}
		ctx, done := context.WithTimeout(t.Context(), 5*time.Minute)
		defer done()
		if _, err := s.Cell(ctx, Cell{Code: "wait"}, nil); err != nil { // longer than Idle
			t.Fatal(err)
		}
		run(t, s, "x")
		time.Sleep(61 * time.Second)
		<-s.gone
		over(t, s, "nobody used it for 1m0s")
	})
}
