package session

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

// clocked is a kernel that something runs on in beside its cells.
type clocked struct {
	*kernel
	mu      sync.Mutex
	spent   time.Duration
	unknown bool
	dead    bool
	late    time.Duration // that is seen only when everybody is dead
}

func (k *clocked) Interpreter() cellwall.Interpreter {
	return clockedInterpreter{interpreter{k.kernel}, k}
}

type clockedInterpreter struct {
	interpreter
	k *clocked
}

func (i clockedInterpreter) Between() (time.Duration, bool) {
	i.k.mu.Lock()
	defer i.k.mu.Unlock()
	if i.k.closed {
		panic("asked behind its end")
	}
	return i.k.spent, !i.k.unknown
}

func (i clockedInterpreter) Harvest(context.Context) (fs.FS, error) {
	i.k.mu.Lock()
	defer i.k.mu.Unlock()
	if !i.k.dead {
		i.k.dead, i.k.spent = true, i.k.spent+i.k.late
	}
	return nil, errors.New("what is left of it is of no interest")
}

func (k *clocked) run(on time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spent += on
}

// bills is what was told of it.
type bills struct {
	mu   sync.Mutex
	told time.Duration
	who  cellwall.Identity
}

func (b *bills) add(who cellwall.Identity, spent time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told, b.who = b.told+spent, who
}

func (b *bills) sum() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.told
}

// openClocked opens a session in k.
func openClocked(t *testing.T, k *clocked, opts Options) (*Sessions, *Session) {
	t.Helper()
	opts.Open = func(context.Context, cellwall.Request, string, cellwall.Sink) (Live, *cellwall.Result, error) {
		return k, &cellwall.Result{ID: "exec_begin", OK: true, Status: cellwall.StatusOK, Usage: cellwall.Usage{CPUMS: 20}}, nil
	}
	all, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := all.Create(t.Context(), cellwall.Request{Identity: cellwall.Identity{Tenant: "a", Subject: "ann"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all, s
}

func TestM42_WhatRunsBetweenCellsIsToldOnce(t *testing.T) {
	k, p, b := &clocked{kernel: newKernel(), late: 7 * time.Second}, &purse{left: 2}, &bills{}
	all, s := openClocked(t, k, Options{Between: b.add, Meter: func(cellwall.Identity) Meter { return p }})
	defer all.Close()
	k.run(time.Second)
	if p.ran != 0 {
		t.Errorf("%v before anybody looked", p.ran)
	}
	run(t, s, "x")
	if b.sum() != time.Second || p.ran != time.Second || b.who.Subject != "ann" {
		t.Errorf("before the cell %v, on the budget %v, want a second of ann's: %+v", b.sum(), p.ran, b.who)
	}
	k.run(time.Second)
	all.Measure()
	all.Measure()
	if got := s.Spent(); b.sum() != 2*time.Second || got != (Spent{Cells: 20 * time.Millisecond, Between: 2 * time.Second, Measured: true}) {
		t.Errorf("%v, %+v", b.sum(), got)
	}
	k.run(time.Second)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all.Measure()
	if got := s.Spent(); b.sum() != 10*time.Second || p.ran != b.sum() || got.Between != b.sum() {
		t.Errorf("%v were told, %v are on the budget, %+v is said; want all, and what ran until the very end", b.sum(), p.ran, got)
	}
}

func TestM42_EveryEndOfASessionCountsTheRest(t *testing.T) {
	for why, end := range map[string]func(*Sessions, *Session){
		"idle":   func(*Sessions, *Session) { time.Sleep(2 * time.Minute) },
		"total":  func(_ *Sessions, s *Session) { _ = s.Pause(t.Context()); time.Sleep(2 * time.Hour) },
		"closed": func(all *Sessions, _ *Session) { _ = all.Close() },
		"died":   func(_ *Sessions, s *Session) { _, _ = s.Cell(context.Background(), Cell{Code: "end"}, nil) },
	} {
		t.Run(why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said string
				var told time.Duration
				k, b := &clocked{kernel: newKernel(), late: 7 * time.Second}, &bills{}
				all, s := openClocked(t, k, Options{Idle: time.Minute, Total: time.Hour, Between: b.add, Ended: func(one *Session, why string) {
					said, told = why, one.Spent().Between
				}})
				defer all.Close()
				k.run(time.Second)
				end(all, s)
				synctest.Wait()
				if said != why || b.sum() != 8*time.Second || told != 8*time.Second {
					t.Errorf("it ended %q, %v were told, %v at its end", said, b.sum(), told)
				}
			})
		})
	}
}

func TestM42_WhatIsNotMeasuredIsNotNothing(t *testing.T) {
	b := &bills{}
	all, s := openClocked(t, &clocked{kernel: newKernel(), unknown: true}, Options{Between: b.add})
	defer all.Close()
	if got := s.Spent(); got.Measured || b.sum() != 0 {
		t.Errorf("%+v of a host that does not count", got)
	}
	if got := create(t, newKernel(), Options{}).Spent(); got.Measured {
		t.Errorf("%+v of a backend that cannot", got)
	}
}
