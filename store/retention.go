package store

import (
	"cmp"
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// Retention says how long rows are kept. Zero values mean for ever, but for
// answers and uploads.
type Retention struct {
	Executions time.Duration // of tenants whose terms say nothing; artifacts and events too
	Results    time.Duration // of executions alone, where neither says anything
	// Tenant is Executions of one tenant, 0 = it says nothing. Nil = as the terms
	// are that are stored here.
	Tenant  func(tenant string) time.Duration
	Entries time.Duration // at least Executions' records' own bound; the log has its own
	Answers time.Duration // of idempotency keys; 0 = a day
	Uploads time.Duration // since they began; 0 = a day
	Usage   time.Duration
}

// retireBatch bounds how long one step holds writers up.
const retireBatch = 200

// Retire removes what is older than it is to be kept, and says how many rows.
// Work that is not done is never removed.
func (s *Store) Retire(ctx context.Context, r Retention) (removed int64, err error) {
	now := s.now()
	steps := []struct {
		keep time.Duration
		text string
	}{
		{orDay(r.Answers), `DELETE FROM once WHERE (tenant, k) IN (SELECT tenant, k FROM once WHERE at < $1 LIMIT $2)`},
		{r.Entries, `DELETE FROM entries WHERE (tenant, id) IN (SELECT tenant, id FROM entries WHERE at < $1 AND recorded = 1 LIMIT $2)`},
		{r.Usage, `DELETE FROM usage WHERE (tenant, hour, subject) IN (SELECT tenant, hour, subject FROM usage WHERE hour < $1 LIMIT $2)`},
	}
	for _, step := range steps {
		n, err := s.retire(ctx, step.keep, now, step.text)
		if removed += n; err != nil {
			return removed, err
		}
	}
	n, err := s.retire(ctx, time.Nanosecond, now, `DELETE FROM toolboxes WHERE (tenant, session) IN (SELECT tenant, session FROM toolboxes WHERE until < $1 LIMIT $2)`)
	if removed += n; err != nil {
		return removed, err
	}
	n, err = s.retireUploads(ctx, now.Add(-orDay(r.Uploads)))
	if removed += n; err != nil {
		return removed, err
	}
	n, err = s.retireTenants(ctx, now, r)
	return removed + n, err
}

func orDay(d time.Duration) time.Duration {
	if d == 0 {
		return 24 * time.Hour
	}
	return d
}

// retire runs a statement until it finds nothing more.
func (s *Store) retire(ctx context.Context, keep time.Duration, now time.Time, text string, more ...any) (removed int64, err error) {
	if keep <= 0 {
		return 0, nil
	}
	args := append([]any{micros(now.Add(-keep)), retireBatch}, more...)
	for {
		var n int64
		err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) (err error) {
			n, err = t.exec(ctx, text, args...)
			return err
		})
		if err != nil {
			return removed, storeError("remove what is old", err)
		}
		if removed += n; n < retireBatch {
			return removed, nil
		}
	}
}

// retireTenants removes executions, artifacts and events by each tenant's terms.
func (s *Store) retireTenants(ctx context.Context, now time.Time, r Retention) (removed int64, err error) {
	keep, err := s.retentions(ctx, r)
	if err != nil {
		return 0, err
	}
	for tenant, d := range keep {
		for _, text := range []string{
			`DELETE FROM ratings WHERE tenant = $3 AND (execution, rater) IN (SELECT execution, rater FROM ratings
				WHERE tenant = $3 AND at < $1 LIMIT $2)`,
			`DELETE FROM approvals WHERE tenant = $3 AND id IN (SELECT id FROM approvals
				WHERE tenant = $3 AND at < $1 AND state <> 'waiting' AND done = 1 LIMIT $2)`,
			`DELETE FROM events WHERE tenant = $3 AND seq IN (SELECT seq FROM events WHERE tenant = $3 AND at < $1 LIMIT $2)`,
		} {
			n, err := s.retire(ctx, d, now, text, tenant)
			if removed += n; err != nil {
				return removed, err
			}
		}
		for text, d := range map[string]time.Duration{oldArtifacts: d, oldExecutions: cmp.Or(d, r.Results)} {
			n, err := s.retireStored(ctx, text, tenant, d, now)
			if removed += n; err != nil {
				return removed, err
			}
		}
	}
	return removed, nil
}

// retentions is how long each tenant's are kept that has something here.
func (s *Store) retentions(ctx context.Context, r Retention) (map[string]time.Duration, error) {
	keep := map[string]time.Duration{}
	err := s.db.query(ctx, `SELECT DISTINCT tenant FROM executions UNION SELECT tenant FROM events UNION SELECT tenant FROM artifacts UNION SELECT tenant FROM approvals UNION SELECT tenant FROM ratings`, nil,
		func(scan func(...any) error) error {
			var tenant string
			err := scan(&tenant)
			keep[tenant] = r.Executions
			if r.Tenant != nil {
				keep[tenant] = cmp.Or(r.Tenant(tenant), r.Executions)
			}
			return err
		})
	if err != nil {
		return nil, storeError("list tenants with rows", err)
	}
	if r.Tenant != nil {
		return keep, nil
	}
	tenants, err := s.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, who := range tenants {
		if _, has := keep[who.ID]; has && who.Terms.Retention > 0 {
			keep[who.ID] = who.Terms.Retention
		}
	}
	return keep, nil
}

// What retireStored removes, with how many bytes each had.
const (
	oldArtifacts = `DELETE FROM artifacts WHERE tenant = $1 AND id IN (SELECT id FROM artifacts
		WHERE tenant = $1 AND at < $2 LIMIT $3) RETURNING bytes`
	oldExecutions = `DELETE FROM executions WHERE tenant = $1 AND id IN (SELECT id FROM executions
		WHERE tenant = $1 AND at < $2 AND state IN ('done', 'lost') ORDER BY at LIMIT $3) RETURNING coalesce(length(result), 0)`
)

// retireStored also gives their room back.
func (s *Store) retireStored(ctx context.Context, text, tenant string, keep time.Duration, now time.Time) (removed int64, err error) {
	if keep <= 0 {
		return 0, nil
	}
	for {
		var n, bytes int64
		err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			n, bytes = 0, 0
			err := t.query(ctx, text, []any{tenant, micros(now.Add(-keep)), retireBatch},
				func(scan func(...any) error) error {
					var one int64
					err := scan(&one)
					n, bytes = n+1, bytes+one
					return err
				})
			if err != nil || bytes == 0 {
				return err
			}
			return addStored(ctx, t, tenant, -bytes)
		})
		if err != nil {
			return removed, storeError("remove what is old", err)
		}
		if removed += n; n < retireBatch {
			return removed, nil
		}
	}
}

// retireUploads forgets uploads that nobody finished, and finished ones that
// nobody asks for any more.
func (s *Store) retireUploads(ctx context.Context, before time.Time) (removed int64, err error) {
	for {
		var all []cellwall.KeptUpload
		err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			all = nil
			err := t.query(ctx, `SELECT tenant, id, received, dataset FROM uploads WHERE at < $1 LIMIT $2`, []any{micros(before), retireBatch},
				func(scan func(...any) error) error {
					var u cellwall.KeptUpload
					err := scan(&u.Identity.Tenant, &u.ID, &u.Received, &u.Dataset)
					all = append(all, u)
					return err
				})
			if err != nil {
				return err
			}
			for _, u := range all {
				if err := dropUpload(ctx, t, u); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return removed, storeError("remove old uploads", err)
		}
		if removed += int64(len(all)); len(all) < retireBatch {
			return removed, nil
		}
	}
}
