package store

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func kindsOf(t *testing.T, s *Store, tenant string) (kinds []string) {
	t.Helper()
	list, err := s.Events(t.Context(), tenant, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if e.Seq != uint64(i+1) {
			t.Errorf("event %d has the number %d", i+1, e.Seq)
		}
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func said(kind string) cellwall.Happening { return cellwall.Happening{Tenant: "tnt_a", Kind: kind} }

func TestM52_AnEventIsKeptIfAndOnlyIfWhatItTellsOfHappened(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		k := done("tnt_a")
		if err := s.KeepExecution(ctx, k, []byte(`{}`), nil, Answer{}, said("execution.done")); err != nil {
			t.Fatal(err)
		}
		if err := s.KeepExecution(ctx, k, []byte(`{}`), nil, Answer{}, said("execution.done")); err == nil {
			t.Error("it is over twice")
		}
		if err := s.KeepEntry(ctx, "tnt_a", cellwall.NewID("exec"), s.now(), []byte(`{}`), said("execution.refused")); err != nil {
			t.Fatal(err)
		}
		once := cellwall.Happening{ID: cellwall.NewID("evt"), Tenant: "tnt_a", Kind: "lockdown.begun"}
		for range 2 {
			if _, err := s.AppendEvent(ctx, once); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.AppendEvent(ctx, said("lockdown.ended")); err != nil {
			t.Fatal(err)
		}
		if got := kindsOf(t, s, "tnt_a"); !slices.Equal(got, []string{"execution.done", "execution.refused", "lockdown.begun", "lockdown.ended"}) {
			t.Errorf("%q", got)
		}
	})
}

func accepted(t *testing.T, s *Store) cellwall.KeptExecution {
	t.Helper()
	k := done("tnt_a")
	k.Request = []byte(`{"body":{"code":"1"}}`)
	if err := s.Accept(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return k
}

func begun(t *testing.T, s *Store, k cellwall.KeptExecution) {
	t.Helper()
	if mine, err := s.Begin(t.Context(), "tnt_a", k.ID); err != nil || !mine {
		t.Fatal(mine, err)
	}
}

func TestM52_AcceptedWorkEndsWithAnEntryAndAnEvent(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		now := noon
		clock := func() time.Time { return now }
		dead := doomed(t, address, Options{Now: clock})
		ctx := t.Context()
		waits, runs, back := accepted(t, dead), accepted(t, dead), accepted(t, dead)
		begun(t, dead, runs)
		// Turned away for now: it is recorded, and nobody hears of it.
		if err := dead.KeepEntry(ctx, "tnt_a", back.ID, dead.now(), []byte(`{"refusal":"busy"}`), said("execution.refused")); err != nil {
			t.Fatal(err)
		}
		dead.crash(t)
		now = now.Add(deadAfter + time.Millisecond)
		s := openAt(t, address, Options{Now: clock})
		if _, err := s.Adopt(ctx, func(cellwall.KeptExecution) (Loss, error) { return Loss{}, errors.New("not now") }); err == nil {
			t.Error("what cannot be recorded is lost all the same")
		}
		queued, err := s.Adopt(ctx, func(k cellwall.KeptExecution) (Loss, error) {
			if k.ID != runs.ID || string(k.Request) != string(runs.Request) {
				t.Errorf("lost: %+v", k)
			}
			return Loss{Entry: []byte(`{"lost":true}`), Told: said("execution.lost")}, nil
		})
		if err != nil || len(queued) != 2 {
			t.Fatalf("%+v, %v", queued, err)
		}
		settled := waits
		settled.Status, settled.Result = cellwall.StatusRefused, []byte(`{}`)
		if noted, err := s.Settle(ctx, settled, []byte(`{"settled":true}`), said("execution.refused")); err != nil || noted {
			t.Error(noted, err)
		}
		settled.ID = back.ID
		if noted, err := s.Settle(ctx, settled, []byte(`{"settled":true}`), said("execution.refused")); err != nil || !noted {
			t.Error(noted, err)
		}
		if got := kindsOf(t, s, "tnt_a"); !slices.Equal(got, []string{"execution.lost", "execution.refused", "execution.refused"}) {
			t.Errorf("%q", got)
		}
		var unrecorded []string
		if err := s.Unrecorded(ctx, func(_, id string, _ []byte) error { unrecorded = append(unrecorded, id); return nil }); err != nil {
			t.Fatal(err)
		}
		for _, k := range []cellwall.KeptExecution{waits, runs, back} {
			if !slices.Contains(unrecorded, k.ID) {
				t.Errorf("no entry of %s", k.ID)
			}
		}
	})
}

func TestM52_SessionsOfAServiceThatDiedEnd(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		now := noon
		clock := func() time.Time { return now }
		dead := doomed(t, address, Options{Now: clock})
		ctx := context.Background()
		for _, id := range []string{"sess_ended", "sess_lives"} {
			if err := dead.OpenSession(ctx, LiveSession{Tenant: "tnt_a", ID: id, At: dead.now()}, said("session.opened")); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := dead.EndSession(ctx, "tnt_a", "sess_ended", false, said("session.ended")); err != nil {
				t.Fatal(err)
			}
		}
		dead.crash(t)
		now = now.Add(deadAfter + time.Millisecond)
		s := openAt(t, address, Options{Now: clock})
		for _, want := range []int{1, 0} {
			if n, err := s.LoseSessions(ctx, func(l LiveSession) cellwall.Happening { return said("session.ended") }); err != nil || n != want {
				t.Errorf("%d lost, %v", n, err)
			}
		}
		if got := kindsOf(t, s, "tnt_a"); !slices.Equal(got, []string{"session.opened", "session.opened", "session.ended", "session.ended"}) {
			t.Errorf("%q", got)
		}
	})
}
