package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

const webhookColumns = `w.tenant, w.id, w.url, w.secret, w.kinds, w.state, w.at`

type webhookRow struct {
	w     cellwall.Webhook
	kinds string
	at    int64
}

func (r *webhookRow) into() []any {
	return []any{&r.w.Tenant, &r.w.ID, &r.w.URL, &r.w.Secret, &r.kinds, &r.w.State, &r.at}
}

func (r *webhookRow) webhook() cellwall.Webhook {
	r.w.At = fromMicros(r.at)
	if r.w.Kinds = strings.Fields(r.kinds); len(r.w.Kinds) == 0 {
		r.w.Kinds = nil
	}
	return r.w
}

// SaveWebhook keeps a new webhook; one of its id that stands stays as it is.
// CodeRateLimited: the tenant has 20.
func (s *Store) SaveWebhook(ctx context.Context, w cellwall.Webhook) error {
	kinds := ""
	if len(w.Kinds) > 0 {
		kinds = " " + strings.Join(w.Kinds, " ") + " " // each stands between two spaces, to be looked for
	}
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		if err := mostWebhooks.check(ctx, t, w.Tenant, w.ID); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO webhooks (tenant, id, url, secret, kinds, state, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (tenant, id) DO NOTHING`,
			w.Tenant, w.ID, w.URL, w.Secret, kinds, string(w.State), micros(w.At))
		return err
	})
	if err != nil {
		return storeError("save webhook", err)
	}
	return nil
}

// Webhook returns one of the tenant's.
func (s *Store) Webhook(ctx context.Context, tenant, id string) (cellwall.Webhook, error) {
	var row webhookRow
	err := s.db.row(ctx, `SELECT `+webhookColumns+` FROM webhooks w WHERE tenant = $1 AND id = $2`, tenant, id).Scan(row.into()...)
	if errors.Is(err, sql.ErrNoRows) {
		return cellwall.Webhook{}, missing("webhook")
	}
	if err != nil {
		return cellwall.Webhook{}, storeError("find webhook", err)
	}
	return row.webhook(), nil
}

// Webhooks lists the tenant's, oldest first.
func (s *Store) Webhooks(ctx context.Context, tenant string) ([]cellwall.Webhook, error) {
	var all []cellwall.Webhook
	err := s.db.query(ctx, `SELECT `+webhookColumns+` FROM webhooks w WHERE tenant = $1 ORDER BY at, id`, []any{tenant}, func(scan func(...any) error) error {
		var row webhookRow
		err := scan(row.into()...)
		all = append(all, row.webhook())
		return err
	})
	if err != nil {
		return nil, storeError("list webhooks", err)
	}
	return all, nil
}

// PauseWebhook stops one that is still there.
func (s *Store) PauseWebhook(ctx context.Context, tenant, id string) error {
	return s.change(ctx, "pause webhook", "", `UPDATE webhooks SET state = $1 WHERE tenant = $2 AND id = $3`, string(cellwall.WebhookPaused), tenant, id)
}

// DeleteWebhook forgets one of the tenant's and what is on its way to it.
func (s *Store) DeleteWebhook(ctx context.Context, tenant, id string) error {
	return s.change(ctx, "delete webhook", "webhook", `DELETE FROM webhooks WHERE tenant = $1 AND id = $2`, tenant, id)
}

// change runs one statement. With what it has to change a row, else what is
// missing.
func (s *Store) change(ctx context.Context, op, what, text string, args ...any) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, text, args...)
		if err == nil && n == 0 && what != "" {
			return refused{missing(what)}
		}
		return err
	})
	if err != nil {
		return storeError(op, err)
	}
	return nil
}

// lease is how long what was handed out is nobody else's.
const lease = time.Minute

// Due hands out up to n deliveries whose time has come, the longest due first,
// and to nobody else for a minute: who dies with them loses none.
func (s *Store) Due(ctx context.Context, now time.Time, n int) ([]cellwall.DueDelivery, error) {
	var all []cellwall.DueDelivery
	if any, err := s.anyDue(ctx, now); err != nil || !any {
		return nil, err
	}
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		all = nil
		err := t.query(ctx, `SELECT d.tries, d.last_status, `+webhookColumns+`, `+eventColumns+` FROM deliveries d
			JOIN webhooks w ON w.tenant = d.tenant AND w.id = d.webhook JOIN events e ON e.tenant = d.tenant AND e.seq = d.event
			WHERE d.state = 'waiting' AND d.next_at <= $1 AND w.state = 'active' ORDER BY d.next_at LIMIT $2`,
			[]any{micros(now), n}, func(scan func(...any) error) error {
				var due cellwall.DueDelivery
				var hook webhookRow
				var event eventRow
				err := scan(append(append([]any{&due.Delivery.Tries, &due.Delivery.LastStatus}, hook.into()...), event.into()...)...)
				due.Webhook, due.Happening = hook.webhook(), event.happening()
				all = append(all, due)
				return err
			})
		if err != nil {
			return err
		}
		kept := all[:0]
		for _, due := range all {
			d := &due.Delivery
			d.Tenant, d.Webhook, d.Event = due.Webhook.Tenant, due.Webhook.ID, due.Happening.Seq
			d.State, d.NextAt = cellwall.DeliveryWaiting, now.Add(lease)
			mine, err := t.exec(ctx, `UPDATE deliveries SET next_at = $1 WHERE tenant = $2 AND webhook = $3 AND event = $4 AND next_at <= $5`,
				micros(d.NextAt), d.Tenant, d.Webhook, d.Event, micros(now))
			if err != nil {
				return err
			}
			if mine == 1 { // else another service was faster
				kept = append(kept, due)
			}
		}
		all = kept
		return nil
	})
	if err != nil {
		return nil, storeError("find due deliveries", err)
	}
	return all, nil
}

// anyDue asks it of the index alone, beside the writer: it is asked for every
// event. The state is part of the text because the index is of that state only;
// for a value SQLite would make its plan anew each time.
func (s *Store) anyDue(ctx context.Context, now time.Time) (any bool, err error) {
	err = s.db.row(ctx, `SELECT EXISTS (SELECT 1 FROM deliveries WHERE state = 'waiting' AND next_at <= $1)`, micros(now)).Scan(&any)
	if err != nil {
		return false, storeError("find due deliveries", err)
	}
	return any, nil
}

// Tried notes what became of a delivery.
func (s *Store) Tried(ctx context.Context, d cellwall.Delivery) error {
	return s.change(ctx, "note delivery", "", `UPDATE deliveries SET tries = $1, next_at = $2, state = $3, last_status = $4
		WHERE tenant = $5 AND webhook = $6 AND event = $7`,
		d.Tries, micros(d.NextAt), string(d.State), d.LastStatus, d.Tenant, d.Webhook, d.Event)
}
