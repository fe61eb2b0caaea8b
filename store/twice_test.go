package store

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// madeTwice makes a thing of one id, for a tenant that has room for one. What it gives
// the second time must be what it gave the first.
var madeTwice = map[string]func(ctx context.Context, s *Store, id string) (any, error){
	"datasets": func(ctx context.Context, s *Store, id string) (any, error) {
		held, err := s.HoldDataset(ctx, cellwall.Identity{Tenant: "tnt_a"}, id, "a.csv", strings.NewReader("sixsix"), 0, 6)
		if err != nil {
			return nil, err
		}
		d, _, err := s.KeepDataset(ctx, held, 6)
		return d, err
	},
	"uploads": func(ctx context.Context, s *Store, id string) (any, error) {
		u, err := s.BeginUpload(ctx, cellwall.Identity{Tenant: "tnt_a"}, id, "a.csv", 6, 6)
		if err == nil && u.Received == 0 { // what has come takes all the room
			_, err = s.Continue(ctx, "tnt_a", id, 0, strings.NewReader("sixsix"), 6)
		}
		return u.ID, err
	},
	"webhooks": func(ctx context.Context, s *Store, id string) (any, error) {
		w := cellwall.Webhook{ID: id, Tenant: "tnt_a", URL: "u", Secret: cellwall.NewID("s"), State: cellwall.WebhookActive, At: s.now()}
		if err := s.SaveWebhook(ctx, w); err != nil {
			return nil, err
		}
		return s.Webhook(ctx, "tnt_a", id)
	},
	"alerts": func(ctx context.Context, s *Store, id string) (any, error) {
		if err := s.SaveAlert(ctx, cellwall.AlertRule{ID: id, Tenant: "tnt_a", Rule: []byte(`{}`), At: s.now()}); err != nil {
			return nil, err
		}
		return s.Alerts(ctx, "tnt_a")
	},
}

func TestM49_WhatStandsIsMadeNoSecondTime(t *testing.T) {
	for table, do := range madeTwice {
		t.Run(table, func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				s, ctx, id := openAt(t, address, Options{Contents: onDisk(t)}), t.Context(), cellwall.NewID("x")
				first, err := do(ctx, s, id)
				stored, err2 := s.Stored(ctx, "tnt_a")
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				second, err := do(ctx, s, id)
				if err != nil || !reflect.DeepEqual(first, second) {
					t.Errorf("%+v, %v, it was %+v", second, err, first)
				}
				var n int
				if err := s.db.row(ctx, `SELECT count(*) FROM `+table).Scan(&n); err != nil || n != 1 {
					t.Errorf("%d rows, %v", n, err)
				}
				if now, err := s.Stored(ctx, "tnt_a"); err != nil || now != stored {
					t.Errorf("%d bytes are counted, it were %d, %v", now, stored, err)
				}
			})
		})
	}
}

// A dataset that stands makes room for itself alone.
func TestM42_ADatasetThatStandsMakesNoRoomForMore(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		s, ctx, id := openAt(t, address, Options{Contents: onDisk(t)}), t.Context(), cellwall.NewID("ds")
		if _, err := madeTwice["datasets"](ctx, s, id); err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"", cellwall.NewID("ds")} {
			_, err := s.HoldDataset(ctx, cellwall.Identity{Tenant: "tnt_a"}, other, "a.csv", strings.NewReader("s"), 0, 6)
			wantCode(t, err, cellwall.CodeTooLarge)
		}
		_, err := s.HoldDataset(ctx, cellwall.Identity{Tenant: "tnt_a"}, id, "a.csv", strings.NewReader("sixsixs"), 0, 6)
		wantCode(t, err, cellwall.CodeTooLarge)
		_, err = s.HoldDataset(ctx, cellwall.Identity{Tenant: "tnt_b"}, id, "a.csv", strings.NewReader("sixsixs"), 0, 6)
		wantCode(t, err, cellwall.CodeTooLarge)
	})
}

// A key whose answer is more than the Result of its execution is not answered by that.
func TestM49_AKeyThatIsNoExecutionsIsNotAnsweredByOne(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		now := noon
		clock := func() time.Time { return now }
		s := doomed(t, address, Options{Now: clock})
		ask := func(s *Store) cellwall.Reservation {
			r, err := s.Reserve(t.Context(), "tnt_a", "k", [32]byte{1}, false)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		k := done("tnt_a")
		k.ID = ask(s).Execution
		keep(t, s, k)
		if r := ask(s); r.Done || r.Mine {
			t.Errorf("while the first call works: %+v", r)
		}
		if id, err := s.Reserved(t.Context(), "tnt_a", "k"); err != nil || id != k.ID {
			t.Errorf("reserved is %q, %v", id, err)
		}
		if id, err := s.Reserved(t.Context(), "tnt_b", "k"); err != nil || id != "" {
			t.Errorf("another tenant has %q, %v", id, err)
		}
		s.crash(t)
		now = now.Add(deadAfter + time.Millisecond)
		if r := ask(openAt(t, address, Options{Now: clock})); !r.Mine || r.Execution != k.ID {
			t.Errorf("after its death: %+v", r)
		}
	})
}
