package store

import (
	"cmp"
	"context"

	"github.com/cellwall/cellwall"
)

// SaveAlert keeps a new rule; one of its id that stands stays as it is.
func (s *Store) SaveAlert(ctx context.Context, a cellwall.AlertRule) error {
	return s.change(ctx, "save alert rule", "", `INSERT INTO alerts (tenant, id, rule, state, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, id) DO NOTHING`,
		a.Tenant, a.ID, cmp.Or(string(a.Rule), "null"), cmp.Or(string(a.State), "null"), micros(a.At))
}

// NoteAlert keeps the state of a rule that is still there.
func (s *Store) NoteAlert(ctx context.Context, a cellwall.AlertRule) error {
	return s.change(ctx, "note alert", "", `UPDATE alerts SET state = $1 WHERE tenant = $2 AND id = $3`,
		cmp.Or(string(a.State), "null"), a.Tenant, a.ID)
}

// Alerts lists the rules of a tenant, oldest first; of all of them for "".
func (s *Store) Alerts(ctx context.Context, tenant string) ([]cellwall.AlertRule, error) {
	var all []cellwall.AlertRule
	err := s.db.query(ctx, `SELECT tenant, id, rule, state, at FROM alerts WHERE tenant = $1 OR $1 = '' ORDER BY at, id`, []any{tenant},
		func(scan func(...any) error) error {
			var a cellwall.AlertRule
			var rule, state string
			var at int64
			err := scan(&a.Tenant, &a.ID, &rule, &state, &at)
			a.Rule, a.State, a.At = []byte(rule), []byte(state), fromMicros(at)
			all = append(all, a)
			return err
		})
	if err != nil {
		return nil, storeError("list alert rules", err)
	}
	return all, nil
}

// DeleteAlert forgets one of the tenant's.
func (s *Store) DeleteAlert(ctx context.Context, tenant, id string) error {
	return s.change(ctx, "delete alert rule", "alert rule", `DELETE FROM alerts WHERE tenant = $1 AND id = $2`, tenant, id)
}
