package store

import (
	"cmp"
	"context"
	"math"

	"github.com/cellwall/cellwall"
)

// AppendEvent gives an event its place in its tenant's stream and makes it due
// for every webhook of the tenant that wants its kind, in one step. Who sees an
// event has seen or can see all before it. One whose ID the tenant has heard of
// already is not told again: its Seq is 0.
func (s *Store) AppendEvent(ctx context.Context, h cellwall.Happening) (cellwall.Happening, error) {
	h = s.happening(h)
	err := s.writer.write(ctx, len(h.Data), func(ctx context.Context, t *tx) (err error) {
		h.Seq, err = s.appendEvent(ctx, t, h)
		return err
	})
	if err != nil {
		return h, storeError("keep event", err)
	}
	return h, nil
}

// happening fills what an event leaves open.
func (s *Store) happening(h cellwall.Happening) cellwall.Happening {
	h.ID = cmp.Or(h.ID, cellwall.NewID(cellwall.PrefixEvent))
	if h.At.IsZero() {
		h.At = s.now()
	}
	return h
}

// appendEvents is part of a step that something happens in: it is told if and
// only if it happened.
func (s *Store) appendEvents(ctx context.Context, t *tx, all []cellwall.Happening) error {
	for _, h := range all {
		if _, err := s.appendEvent(ctx, t, s.happening(h)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) appendEvent(ctx context.Context, t *tx, h cellwall.Happening) (seq uint64, err error) {
	// The row is locked until the commit: numbers come in the order of commits.
	if err := t.row(ctx, `INSERT INTO sequences (tenant, seq) VALUES ($1, 1)
		ON CONFLICT (tenant) DO UPDATE SET seq = sequences.seq + 1 RETURNING seq`, h.Tenant).Scan(&seq); err != nil {
		return 0, err
	}
	n, err := t.exec(ctx, `INSERT INTO events (tenant, seq, id, at, kind, data) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant, id) DO NOTHING`, h.Tenant, seq, h.ID, micros(h.At), h.Kind, cmp.Or(string(h.Data), "null"))
	if err != nil {
		return 0, err
	}
	if n == 0 { // told before: the number is given back
		_, err := t.exec(ctx, `UPDATE sequences SET seq = seq - 1 WHERE tenant = $1`, h.Tenant)
		return 0, err
	}
	_, err = t.exec(ctx, `INSERT INTO deliveries (tenant, webhook, event, tries, next_at, state, last_status)
		SELECT tenant, id, $1, 0, $2, $3, 0 FROM webhooks
		WHERE tenant = $4 AND state = $5 AND (kinds = '' OR kinds LIKE '% ' || $6 || ' %')`,
		seq, micros(s.now()), string(cellwall.DeliveryWaiting), h.Tenant, string(cellwall.WebhookActive), h.Kind)
	return seq, err
}

// Events lists up to n events of a tenant behind after, oldest first.
func (s *Store) Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	var all []cellwall.Happening
	err := s.db.query(ctx, `SELECT `+eventColumns+` FROM events e WHERE tenant = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
		[]any{tenant, min(after, math.MaxInt64), n}, func(scan func(...any) error) error {
			var row eventRow
			err := scan(row.into()...)
			all = append(all, row.happening())
			return err
		})
	if err != nil {
		return nil, storeError("list events", err)
	}
	return all, nil
}

const eventColumns = `e.tenant, e.seq, e.id, e.at, e.kind, e.data`

type eventRow struct {
	h    cellwall.Happening
	at   int64
	data string
}

func (r *eventRow) into() []any {
	return []any{&r.h.Tenant, &r.h.Seq, &r.h.ID, &r.at, &r.h.Kind, &r.data}
}

func (r *eventRow) happening() cellwall.Happening {
	r.h.At, r.h.Data = fromMicros(r.at), []byte(r.data)
	return r.h
}
