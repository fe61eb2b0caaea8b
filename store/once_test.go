package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func reserve(t *testing.T, s *Store, key string, body byte) cellwall.Reservation {
	t.Helper()
	r, err := s.Reserve(context.Background(), "tnt_a", key, [32]byte{body}, true)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestM42_AnIdempotencyKeyIsWonByOneAndStandsForOneAnswer(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		var wg sync.WaitGroup
		var mu sync.Mutex
		won, ids := 0, map[string]bool{}
		for range 16 {
			wg.Go(func() {
				r := reserve(t, s, "k", 1)
				mu.Lock()
				defer mu.Unlock()
				ids[r.Execution] = true
				if r.Mine {
					won++
				} else if r.Done {
					t.Error("it is done before it began")
				}
			})
		}
		wg.Wait()
		if won != 1 || len(ids) != 1 {
			t.Errorf("%d won, %d ids", won, len(ids))
		}
		_, err := s.Reserve(ctx, "tnt_a", "k", [32]byte{2}, true)
		wantCode(t, err, cellwall.CodeConflict)
		if other, err := s.Reserve(ctx, "tnt_b", "k", [32]byte{2}, true); err != nil || !other.Mine {
			t.Error("another tenant has keys of its own:", other, err)
		}
		if err := s.Finish(ctx, "tnt_a", "k", 201, []byte("answer")); err != nil {
			t.Fatal(err)
		}
		if r := reserve(t, s, "k", 1); !r.Done || r.Mine || r.Status != 201 || string(r.Body) != "answer" {
			t.Errorf("%+v", r)
		}
		reserve(t, s, "r", 1)
		if err := errors.Join(s.Release(ctx, "tnt_a", "r"), s.Release(ctx, "tnt_a", "k")); err != nil {
			t.Fatal(err)
		}
		if r := reserve(t, s, "r", 9); !r.Mine {
			t.Errorf("a released key is taken: %+v", r)
		}
		if r := reserve(t, s, "k", 1); !r.Done {
			t.Errorf("an answer was released: %+v", r)
		}
	})
}

func TestM42_AKeyWhoseExecutionIsKeptNeedsNoFinish(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		k := done("tnt_a")
		k.ID = reserve(t, s, "sync", 1).Execution
		keep(t, s, k)
		if r := reserve(t, s, "sync", 1); !r.Done || r.Status != 200 || string(r.Body) != string(k.Result) {
			t.Errorf("%+v", r)
		}
		later := cellwall.KeptExecution{ID: reserve(t, s, "async", 1).Execution, Identity: cellwall.Identity{Tenant: "tnt_a"}, At: noon}
		if err := s.Accept(ctx, later); err != nil {
			t.Fatal(err)
		}
		if r := reserve(t, s, "async", 1); !r.Done || r.Status != 202 || r.Body != nil || r.Execution != later.ID {
			t.Errorf("%+v", r)
		}
		with := done("tnt_a")
		with.ID = reserve(t, s, "answered", 1).Execution
		if err := s.KeepExecution(ctx, with, nil, nil, Answer{Key: "answered", Status: 201, Body: []byte("b")}); err == nil {
			t.Error("an entry without bytes was taken")
		}
		if err := s.KeepExecution(ctx, with, []byte("{}"), nil, Answer{Key: "answered", Status: 201, Body: []byte("b")}); err != nil {
			t.Fatal(err)
		}
		if r := reserve(t, s, "answered", 1); !r.Done || r.Status != 201 || string(r.Body) != "b" {
			t.Errorf("%+v", r)
		}
	})
}

func TestM42_AKeyOfAServiceThatDiedGoesToWhoAsksNext(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		now := noon
		clock := func() time.Time { return now }
		s := doomed(t, address, Options{Now: clock})
		first := reserve(t, s, "k", 1)
		s.crash(t)
		now = now.Add(deadAfter + time.Millisecond)
		s = openAt(t, address, Options{Now: clock})
		if again := reserve(t, s, "k", 1); !again.Mine || again.Execution != first.Execution {
			t.Errorf("%+v after %+v", again, first)
		}
		if third := reserve(t, s, "k", 1); third.Mine || third.Done {
			t.Errorf("two do it: %+v", third)
		}
	})
}

func TestM42_AKeyThatIsHandedOnGoesToWhoAsksNextWithItsId(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		handOn := func(tenant, key string) {
			t.Helper()
			if err := s.HandOn(ctx, tenant, key); err != nil {
				t.Fatal(err)
			}
		}
		first := reserve(t, s, "k", 1)
		handOn("tnt_b", "k")
		if r := reserve(t, s, "k", 1); r.Mine {
			t.Errorf("another tenant has handed it on: %+v", r)
		}
		handOn("tnt_a", "k")
		_, err := s.Reserve(ctx, "tnt_a", "k", [32]byte{2}, true)
		wantCode(t, err, cellwall.CodeConflict)
		if r := reserve(t, s, "k", 1); !r.Mine || r.Execution != first.Execution {
			t.Errorf("%+v after %+v", r, first)
		}
		if r := reserve(t, s, "k", 1); r.Mine || r.Done {
			t.Errorf("two do it: %+v", r)
		}
		k := done("tnt_a")
		k.ID = first.Execution
		keep(t, s, k)
		handOn("tnt_a", "k")
		if r := reserve(t, s, "k", 1); r.Mine || !r.Done || string(r.Body) != string(k.Result) {
			t.Errorf("what ran is run again: %+v", r)
		}
	})
}

func TestOnce_KeepsNoSecondCopyOfAResult(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		k := done("tnt_a")
		copies := func(key string, want bool) {
			t.Helper()
			var has bool
			if err := s.db.row(ctx, `SELECT answer IS NOT NULL FROM once WHERE tenant = 'tnt_a' AND k = $1`, key).Scan(&has); err != nil || has != want {
				t.Errorf("a copy under %s: %v, want %v, %v", key, has, want, err)
			}
		}
		for key, answer := range map[string]string{"the result": string(k.Result), "another shape": `{"task_id":1}`} {
			k.ID = reserve(t, s, key, 1).Execution
			keep(t, s, k)
			if err := s.Finish(ctx, "tnt_a", key, 200, []byte(answer)); err != nil {
				t.Fatal(err)
			}
			if r := reserve(t, s, key, 1); !r.Done || r.Mine || r.Status != 200 || string(r.Body) != answer {
				t.Errorf("%s is answered again with %+v", key, r)
			}
			copies(key, answer != string(k.Result))
		}
		if n, err := s.Retire(ctx, Retention{Executions: time.Nanosecond}); err != nil || n != 2 {
			t.Fatalf("%d rows went, %v", n, err)
		}
		reserve(t, s, "nothing", 1)
		if err := s.Finish(ctx, "tnt_a", "nothing", 204, nil); err != nil || !reserve(t, s, "nothing", 1).Done {
			t.Errorf("an answer without a body: %v", err)
		}
		_, err := s.Reserve(ctx, "tnt_a", "the result", [32]byte{1}, true)
		wantCode(t, err, cellwall.CodeConflict)
		if r := reserve(t, s, "another shape", 1); string(r.Body) != `{"task_id":1}` {
			t.Errorf("an answer of its own went with the execution: %+v", r)
		}
	})
}
