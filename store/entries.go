package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// entryRow is an entry of the log as it is kept here, so that a tenant's can be
// listed.
type entryRow struct {
	tenant, id string
	at         time.Time
	entry      []byte
}

// keepEntry keeps the latest entry of its id.
func keepEntry(ctx context.Context, t *tx, e entryRow) error {
	_, err := t.exec(ctx, `INSERT INTO entries (tenant, id, at, recorded, entry) VALUES ($1, $2, $3, 0, $4)
		ON CONFLICT (tenant, id) DO UPDATE SET recorded = 0, entry = excluded.entry`, e.tenant, e.id, micros(e.at), e.entry)
	return err
}

// KeepEntry keeps an entry that has no execution, its record on the way to the
// log, and what its tenant is told, all or nothing. Of one that was accepted, and
// will be tried again, nothing is told. It counts as not in the log until
// [Store.Recorded].
func (s *Store) KeepEntry(ctx context.Context, tenant, id string, at time.Time, entry []byte, told ...cellwall.Happening) error {
	err := s.writer.write(ctx, len(entry), func(ctx context.Context, t *tx) error {
		if err := keepEntry(ctx, t, entryRow{tenant, id, at, entry}); err != nil || len(told) == 0 {
			return err
		}
		var accepted int
		if err := t.row(ctx, `SELECT count(*) FROM executions WHERE tenant = $1 AND id = $2 AND state IN ('queued', 'running')`,
			tenant, id).Scan(&accepted); err != nil || accepted > 0 {
			return err
		}
		return s.appendEvents(ctx, t, told)
	})
	if err != nil {
		return storeError("keep entry", err)
	}
	return nil
}

// behind is what is told to the database a moment later. Nobody waits for it:
// after a death the log itself is looked at.
type behind struct {
	mu       sync.Mutex
	recorded []entryRow // without their text
	before   []entryRow // that were there at the latest flush already
}

// behindPeriod is how often, and how long at least after it was told. The log is
// synced behind its answer: were the mark on the disk before the record, and power
// went, nobody would miss that one.
const behindPeriod = time.Second

// Recorded says that the entry of [Store.KeepExecution] or [Store.KeepEntry] is in the log.
func (s *Store) Recorded(tenant, id string) {
	s.behind.mu.Lock()
	defer s.behind.mu.Unlock()
	s.behind.recorded = append(s.behind.recorded, entryRow{tenant: tenant, id: id})
}

// flush tells the database what happened behind it, until the flush before this one.
func (s *Store) flush(ctx context.Context) error {
	s.behind.mu.Lock()
	due := s.behind.before
	s.behind.before, s.behind.recorded = s.behind.recorded, nil
	s.behind.mu.Unlock()
	return s.inParts(ctx, due, func(ctx context.Context, t *tx, e entryRow) error {
		_, err := t.exec(ctx, `UPDATE entries SET recorded = 1 WHERE tenant = $1 AND id = $2`, e.tenant, e.id)
		return err
	})
}

// inParts writes many rows without holding others up for long.
func (s *Store) inParts(ctx context.Context, all []entryRow, do func(context.Context, *tx, entryRow) error) error {
	const part = 64
	for len(all) > 0 {
		now := all[:min(len(all), part)]
		all = all[len(now):]
		err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			for _, e := range now {
				if err := do(ctx, t, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return storeError("keep entries", err)
		}
	}
	return nil
}

// Unrecorded tells, oldest first, the entries of executions that were kept and
// whose record a death may have prevented. The caller says [Store.Recorded] of
// each that is in the log, or is now.
func (s *Store) Unrecorded(ctx context.Context, each func(tenant, id string, entry []byte) error) error {
	err := s.db.query(ctx, `SELECT tenant, id, entry FROM entries WHERE recorded = 0 ORDER BY at`, nil, func(scan func(...any) error) error {
		var e entryRow
		if err := scan(&e.tenant, &e.id, &e.entry); err != nil {
			return err
		}
		return each(e.tenant, e.id, e.entry)
	})
	if err != nil {
		return fmt.Errorf("find executions without a record: %w", err)
	}
	return nil
}

// Entries lists the entries of a tenant, newest first. The log has the ones that
// were refused before they had a tenant, and is what counts.
func (s *Store) Entries(ctx context.Context, tenant string, page cellwall.Page) (list [][]byte, next string, err error) {
	from, err := startOf(page)
	if err != nil {
		return nil, "", err
	}
	var rows []entryRow
	var part filling
	err = s.db.query(ctx, `SELECT id, at, entry FROM entries WHERE tenant = $1 AND (at, id) < ($2, $3)
		ORDER BY at DESC, id DESC LIMIT $4`, []any{tenant, from.at, from.id, from.limit + 1}, func(scan func(...any) error) error {
		var e entryRow
		var at int64
		err := scan(&e.id, &at, &e.entry)
		e.at = fromMicros(at)
		rows = append(rows, e)
		return errors.Join(err, part.add(len(e.entry)))
	})
	if from.limit, err = part.limit(from.limit, err); err != nil {
		return nil, "", storeError("list entries", err)
	}
	rows, next = cut(rows, from.limit, func(e entryRow) start { return start{at: micros(e.at), id: e.id} })
	for _, e := range rows {
		list = append(list, e.entry)
	}
	return list, next, nil
}
