package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// AddUsage adds what was used to the hours' rows, all or nothing.
func (s *Store) AddUsage(ctx context.Context, rows []cellwall.UsageRow) error {
	rows = slices.Clone(rows) // in one order, in which two services cannot wait for each other
	slices.SortFunc(rows, func(a, b cellwall.UsageRow) int {
		if by := a.Hour.Compare(b.Hour); by != 0 {
			return by
		}
		return strings.Compare(a.Tenant+"\x00"+a.Subject, b.Tenant+"\x00"+b.Subject)
	})
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		for _, r := range rows {
			if _, err := t.exec(ctx, `INSERT INTO usage (tenant, subject, hour, executions, refused, wall_ms, cpu_ms, bytes, token_cost)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant, hour, subject) DO UPDATE SET
				executions = usage.executions + excluded.executions, refused = usage.refused + excluded.refused,
				wall_ms = usage.wall_ms + excluded.wall_ms, cpu_ms = usage.cpu_ms + excluded.cpu_ms,
				bytes = usage.bytes + excluded.bytes, token_cost = usage.token_cost + excluded.token_cost`,
				r.Tenant, r.Subject, micros(r.Hour.Truncate(time.Hour)), r.Executions, r.Refused, r.WallMS, r.CPUMS, r.Bytes, r.TokenCost); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return storeError("add usage", err)
	}
	return nil
}

// Usage lists what a tenant used in the hours that begin in [from, to), by hour
// and subject; what everybody did for tenant "".
func (s *Store) Usage(ctx context.Context, tenant string, from, to time.Time) ([]cellwall.UsageRow, error) {
	var all []cellwall.UsageRow
	err := s.db.query(ctx, `SELECT tenant, subject, hour, executions, refused, wall_ms, cpu_ms, bytes, token_cost FROM usage
		WHERE (tenant = $1 OR $1 = '') AND hour >= $2 AND hour < $3 ORDER BY hour, tenant, subject`, []any{tenant, micros(from), micros(to)},
		func(scan func(...any) error) error {
			var r cellwall.UsageRow
			var hour int64
			err := scan(&r.Tenant, &r.Subject, &hour, &r.Executions, &r.Refused, &r.WallMS, &r.CPUMS, &r.Bytes, &r.TokenCost)
			r.Hour = fromMicros(hour)
			all = append(all, r)
			return err
		})
	if err != nil {
		return nil, storeError("list usage", err)
	}
	return all, nil
}

// spent is how a budget's use is kept.
type spent struct {
	Used  cellwall.Budget `json:"used"`
	Class string          `json:"class,omitempty"`
}

// SaveBudgets keeps what was used of budgets, in place of what was kept before.
func (s *Store) SaveBudgets(ctx context.Context, rows []cellwall.BudgetRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b cellwall.BudgetRow) int {
		return strings.Compare(a.Tenant+"\x00"+a.Subject, b.Tenant+"\x00"+b.Subject)
	})
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		for _, r := range rows {
			used, err := json.Marshal(spent{r.Used, r.Class})
			if err != nil {
				return refused{fmt.Errorf("keep budget: %w", err)}
			}
			if _, err := t.exec(ctx, `INSERT INTO budgets (tenant, subject, used, since) VALUES ($1, $2, $3, $4)
				ON CONFLICT (tenant, subject) DO UPDATE SET used = excluded.used, since = excluded.since`,
				r.Tenant, r.Subject, string(used), micros(r.Since)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return storeError("keep budgets", err)
	}
	return nil
}

// Budgets lists what was used of every budget.
func (s *Store) Budgets(ctx context.Context) ([]cellwall.BudgetRow, error) {
	var all []cellwall.BudgetRow
	err := s.db.query(ctx, `SELECT tenant, subject, used, since FROM budgets ORDER BY tenant, subject`, nil, func(scan func(...any) error) error {
		var r cellwall.BudgetRow
		var text string
		var since int64
		if err := scan(&r.Tenant, &r.Subject, &text, &since); err != nil {
			return err
		}
		var used spent
		err := json.Unmarshal([]byte(text), &used)
		r.Used, r.Class, r.Since = used.Used, used.Class, fromMicros(since)
		all = append(all, r)
		return err
	})
	if err != nil {
		return nil, storeError("list budgets", err)
	}
	return all, nil
}
