package notify

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM52_AReaderGoesOnBehindTheEventThatItNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := Open(t.Context(), Options{Book: &book{}})
		defer b.Close()
		for range 3 {
			b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done", Data: []byte(`{}`)})
			b.Tell(cellwall.Happening{Tenant: "b", Kind: "session.opened", Data: []byte(`{}`)})
		}
		synctest.Wait()
		list, err := b.Next(t.Context(), "a", 1, 100)
		if err != nil || len(list) != 2 || list[0].Seq != 2 || list[1].Seq != 3 || list[0].Kind != "execution.done" || list[0].ID == "" || list[0].At.IsZero() {
			t.Fatalf("%+v, %v", list, err)
		}
		came := make(chan []cellwall.Happening)
		go func() {
			list, _ := b.Next(t.Context(), "a", 3, 100)
			came <- list
		}()
		synctest.Wait()
		began := time.Now()
		b.Tell(cellwall.Happening{Tenant: "b", Kind: "session.opened", Data: []byte(`{}`)})
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done", Data: []byte(`{}`)})
		if list := <-came; len(list) != 1 || list[0].Seq != 4 || time.Since(began) != 0 {
			t.Errorf("%+v after %v", list, time.Since(began))
		}
	})
}

func TestM52_WhatAnotherProcessKeepsIsSeenSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &book{}
		one, _ := Open(t.Context(), Options{Book: shared})
		other, _ := Open(t.Context(), Options{Book: shared})
		defer one.Close()
		defer other.Close()
		began := time.Now()
		go func() {
			time.Sleep(500 * time.Millisecond)
			other.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done"})
		}()
		if list, err := one.Next(t.Context(), "a", 0, 1); err != nil || len(list) != 1 || time.Since(began) > time.Second {
			t.Errorf("%v, %v after %v", list, err, time.Since(began))
		}
	})
}

// slowBook counts how often it is looked into for readers.
type slowBook struct {
	book
	looks atomic.Int64
}

func (b *slowBook) Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	b.looks.Add(1)
	time.Sleep(time.Millisecond)
	return b.book.Events(ctx, tenant, after, n)
}

// Readers at the same place look together: many streams of a tenant cost the book as
// much as one.
func TestM52_ManyReadersLookOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &slowBook{}
		b, _ := Open(t.Context(), Options{Book: kept})
		defer b.Close()
		came := make(chan int, 50)
		for range cap(came) {
			go func() {
				list, _ := b.Next(t.Context(), "a", 0, 100)
				came <- len(list)
			}()
		}
		time.Sleep(2500 * time.Millisecond)
		if n := kept.looks.Load(); n != 3 {
			t.Errorf("%d looks of %d readers in the beginning and two polls", n, cap(came))
		}
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done"})
		for range cap(came) {
			if n := <-came; n != 1 {
				t.Errorf("a reader heard of %d events", n)
			}
		}
		if n := kept.looks.Load(); n != 4 {
			t.Errorf("%d looks when the event has come", n)
		}
	})
}

func TestM52_TellingNeverWaits(t *testing.T) {
	b := open(t, Options{Book: &book{broken: true}, Line: 1})
	began := time.Now()
	for range 10_000 {
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done"})
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("%v", d)
	}
	if err := b.Close(); err != nil || b.Lost() != 10_000 {
		t.Errorf("%d were lost, %v", b.Lost(), err)
	}
	b.Tell(cellwall.Happening{Tenant: "a"}) // nothing happens
}

func TestM52_WhatWasToldIsKeptBeforeTheEnd(t *testing.T) {
	kept := &book{}
	b := open(t, Options{Book: kept})
	for range 100 {
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done"})
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, events := kept.seen(); len(events) != 100 {
		t.Errorf("%d of 100", len(events))
	}
}
