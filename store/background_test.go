package store

import (
	"context"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM52_WhatWaitsInAServiceIsTakenByAnotherOnce(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		s := openAt(t, address, Options{Now: func() time.Time { return noon }})
		k := cellwall.KeptExecution{ID: cellwall.NewID(cellwall.PrefixExecution), Identity: cellwall.Identity{Tenant: "tnt_a"}, At: noon, Request: []byte(`{}`)}
		if err := s.Accept(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if err := s.writer.write(t.Context(), 0, func(ctx context.Context, x *tx) error {
			_, err := x.exec(ctx, `UPDATE executions SET instance = 'inst_beside'`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			tenant string
			want   bool
		}{{"tnt_b", false}, {"tnt_a", true}, {"tnt_a", false}} {
			if mine, err := s.Take(t.Context(), c.tenant, k.ID); err != nil || mine != c.want {
				t.Errorf("%s takes it: %v, %v, want %v", c.tenant, mine, err, c.want)
			}
		}
		if mine, err := s.Begin(t.Context(), "tnt_a", k.ID); err != nil || mine {
			t.Errorf("it begins all the same: %v, %v", mine, err)
		}
	})
}
