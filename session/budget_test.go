package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// purse lets so many cells run, and notes what it is told.
type purse struct {
	left  int
	noted []cellwall.Status
	cost  float64
	ran   time.Duration
}

func (p *purse) Admit() *cellwall.Stop {
	if p.left == 0 {
		return &cellwall.Stop{Reason: cellwall.StopExecutions, Limit: 2, Used: 2}
	}
	p.left--
	return nil
}

func (p *purse) Note(r *cellwall.Result, cost float64) {
	p.noted = append(p.noted, r.Status)
	p.cost += cost
}
func (p *purse) Ran(spent time.Duration) { p.ran += spent }
func (p *purse) Limit() cellwall.Budget  { return cellwall.Budget{Executions: 2} }
func (p *purse) Used() cellwall.Budget   { return cellwall.Budget{Executions: len(p.noted)} }

func TestM3_ASessionStopsWhenItsBudgetSaysSo(t *testing.T) {
	k, p := newKernel(), &purse{left: 2}
	var whose cellwall.Identity
	s := create(t, k, Options{Meter: func(who cellwall.Identity) Meter { whose = who; return p }})
	if whose.Tenant != "a" {
		t.Errorf("the budget of %+v", whose)
	}
	for _, code := range []string{"x", "fail"} {
		if _, err := s.Cell(t.Context(), Cell{Code: code, TokenCost: 0.5}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if p.cost != 1 {
		t.Errorf("the cells cost %v", p.cost)
	}
	for range 2 {
		r, err := s.Cell(t.Context(), Cell{Code: "y", TokenCost: 0.5}, nil)
		if err != nil || r.Status != cellwall.StatusRefused || r.Observation.Status != cellwall.StatusStopped || r.Observation.Reason != cellwall.StopExecutions {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if len(k.state) != 2 || len(p.noted) != 2 || p.cost != 1 || len(s.History()) != 2 {
		t.Errorf("state %v, noted %v, cost %v", k.state, p.noted, p.cost)
	}
	if i := s.Info(); i.Budget.Executions != 2 || i.Used.Executions != 2 || i.State != Ready {
		t.Errorf("info %+v", i)
	}
}

// lost answers every cell with an error of ours.
type lost struct {
	*kernel
	err error
}

func (l *lost) Cell(context.Context, cellwall.Request, int, cellwall.Sink) (*cellwall.Result, error) {
	return nil, l.err
}

func TestM40_AnErrorOfOursTakesANumberOnlyWhenTheCellMayHaveRun(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		cells int
		state State
	}{
		{"a bad request", &cellwall.Error{Code: cellwall.CodeBadRequest}, 0, Ready},
		{"not sent", cellwall.ErrNotSent, 0, Ready},
		{"no record", errors.New("disk full"), 1, Ready},
		{"over", &cellwall.Error{Code: cellwall.CodeConflict, Err: cellwall.ErrSessionOver}, 1, Over},
	} {
		k, p := newKernel(), &purse{left: 5}
		all := open(t, k, Options{Meter: func(cellwall.Identity) Meter { return p }})
		all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
			return &lost{k, test.err}, nil, nil
		}
		s, _, err := all.Create(t.Context(), cellwall.Request{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Cell(t.Context(), Cell{Code: "x"}, nil); !errors.Is(err, test.err) {
			t.Errorf("%s: %v", test.name, err)
		}
		if i := s.Info(); i.Cells != test.cells || i.State != test.state || len(s.History()) != test.cells || len(p.noted) != 0 {
			t.Errorf("%s: %d cells, %s, history %v, noted %v", test.name, i.Cells, i.State, s.History(), p.noted)
		}
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestM3_WhatTheMeterHasAlreadyIsNotNotedAgain(t *testing.T) {
	p := &purse{left: 1}
	s := create(t, newKernel(), Options{Meter: func(cellwall.Identity) Meter { return p }})
	if _, err := s.Cell(t.Context(), Cell{Code: "x", TokenCost: 0.5, Spent: true}, nil); err != nil || p.cost != 0 || len(p.noted) != 1 {
		t.Errorf("cost %v, noted %v, %v", p.cost, p.noted, err)
	}
}
