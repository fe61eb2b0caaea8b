package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/cellwall/cellwall"
)

func TestM42_AnotherTenantsSessionIsNotFound(t *testing.T) {
	s := create(t, newKernel(), Options{})
	for _, test := range []struct {
		name, id, tenant string
		want             cellwall.ErrorCode
	}{
		{"one's own", s.ID(), "a", ""},
		{"of another", s.ID(), "b", cellwall.CodeNotFound},
		{"of nobody", cellwall.NewID(cellwall.PrefixSession), "a", cellwall.CodeNotFound},
		{"no id", "../a", "a", cellwall.CodeNotFound},
	} {
		got, err := s.all.Get(test.id, cellwall.Identity{Tenant: test.tenant})
		if test.want == "" && got != s || test.want != "" && cellwall.CodeOf(err) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if n := len(s.all.List(cellwall.Identity{Tenant: "b"})); n != 0 {
		t.Errorf("another tenant sees %d", n)
	}
	if list := s.all.List(cellwall.Identity{Tenant: "a"}); len(list) != 1 || list[0] != s {
		t.Errorf("list %v", list)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// What ended says so to its owner, and is as unknown as before to others.
	if _, err := s.all.Get(s.ID(), cellwall.Identity{Tenant: "b"}); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("of another, ended: %v", err)
	}
}

func TestM42_ATenantHasABoundedNumberOfSessions(t *testing.T) {
	all := open(t, newKernel(), Options{PerTenant: 2})
	all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
		return newKernel(), nil, nil
	}
	defer all.Close()
	create := func(tenant string) (*Session, error) {
		s, _, err := all.Create(t.Context(), cellwall.Request{Identity: cellwall.Identity{Tenant: tenant}}, nil)
		return s, err
	}
	first, err := create("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := create("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := create("a"); cellwall.CodeOf(err) != cellwall.CodeRateLimited || cellwall.HintOf(err) == "" {
		t.Errorf("a third one: %v", err)
	}
	if _, err := create("b"); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := create("a"); err != nil {
		t.Errorf("after one was closed: %v", err)
	}
}

func TestM40_WhatCouldNotBeOpenedTakesNoPlace(t *testing.T) {
	failed := errors.New("no sandbox")
	broken := &cellwall.Result{Status: cellwall.StatusMemoryLimit}
	for _, test := range []struct {
		name   string
		result *cellwall.Result
		err    error
	}{{"an error", nil, failed}, {"ended while it began", broken, nil}} {
		all := open(t, newKernel(), Options{PerTenant: 1})
		all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
			return nil, test.result, test.err
		}
		for range 3 {
			s, r, err := all.Create(t.Context(), cellwall.Request{}, nil)
			if s != nil || r != test.result || !errors.Is(err, test.err) {
				t.Errorf("%s: %v, %v, %v", test.name, s, r, err)
			}
		}
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestM40_WhatPanicsWhileItOpensTakesNoPlace(t *testing.T) {
	var made []*kernel
	all := open(t, newKernel(), Options{PerTenant: 2, Beside: besides(&made)})
	one, _, err := all.Create(t.Context(), cellwall.Request{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	panics := func(do func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Error("it is opened")
			}
		}()
		do()
	}
	good, beside := all.opts.Open, all.opts.Beside
	all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
		panic("a fault")
	}
	all.opts.Beside = func(context.Context, Live, cellwall.Identity, string, cellwall.Sink) (Live, []cellwall.Notice, *cellwall.Result, error) {
		panic("a fault")
	}
	panics(func() { _, _, _ = all.Create(t.Context(), cellwall.Request{}, nil) })
	panics(func() { _, _, _, _ = one.Beside(t.Context(), Beside{}) })
	all.opts.Open, all.opts.Beside = good, beside
	if _, _, _, err := one.Beside(t.Context(), Beside{}); err != nil {
		t.Errorf("its place is taken: %v", err)
	}
	if err := all.Close(); err != nil {
		t.Error(err)
	}
}

func TestM40_AHouseThatClosesOpensNoSessions(t *testing.T) {
	k := newKernel()
	all := open(t, k, Options{})
	if _, _, err := all.Create(t.Context(), cellwall.Request{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := all.Close(); err != nil || !k.closed {
		t.Fatalf("%v, closed %v", err, k.closed)
	}
	if _, _, err := all.Create(t.Context(), cellwall.Request{}, nil); cellwall.CodeOf(err) != cellwall.CodeDraining {
		t.Errorf("error %v", err)
	}
}

func TestM40_ASessionOpenedWhileTheHouseClosesEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKernel()
		all := open(t, k, Options{})
		proceed := make(chan struct{})
		all.opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
			<-proceed
			return k, nil, nil
		}
		opened := make(chan *Session, 1)
		go func() {
			s, _, _ := all.Create(t.Context(), cellwall.Request{}, nil)
			opened <- s
		}()
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- all.Close() }()
		synctest.Wait()
		close(proceed)
		if s := <-opened; s == nil || s.Info().State != Over {
			t.Errorf("session %v", s)
		}
		if err := <-closed; err != nil || !k.closed {
			t.Errorf("%v, closed %v", err, k.closed)
		}
	})
}

// TestM31_AProgramOfOursIsNobodysToJoin: it runs unchecked, and so would a cell.
func TestM31_AProgramOfOursIsNobodysToJoin(t *testing.T) {
	all := open(t, newKernel(), Options{})
	t.Cleanup(func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	})
	who := cellwall.Identity{Tenant: "a"}
	ours, _, err := all.Create(t.Context(), cellwall.Request{Identity: who, Own: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Get(ours.ID(), who); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("it is found: %v", err)
	}
	if list := all.List(who); len(list) != 0 {
		t.Errorf("list %v", list)
	}
}
