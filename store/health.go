package store

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cellwall/cellwall"
)

// health is whether rows can be written now, as the last batch found, and whether
// what was written reaches the disk, as the last sync that was waited for did.
type health struct {
	mu       sync.Mutex
	failed   error // nil while they can
	unsynced int   // syncs that failed since one was waited for and did not
	retryAt  time.Time
}

// probeEvery is how often a database that failed is tried again.
const probeEvery = time.Second

// Healthy returns why nothing can be written now – the disk is full, the
// database is away – and nil when it can. After a failure it tries again once a
// second. A refused row of one caller is no failure of the store.
func (s *Store) Healthy(ctx context.Context) error {
	unsynced, try, failed := s.writer.health.due(s.now())
	if !try {
		return failed
	}
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, `INSERT INTO meta (k, v, n) VALUES ('probe', $1, 0) ON CONFLICT (k) DO UPDATE SET v = excluded.v`,
			cellwall.NewID(cellwall.PrefixExecution))
		return err
	})
	if err != nil {
		return storeError("write a row", err)
	}
	if err := s.writer.syncer.Flush(); err != nil {
		return storeError("write a row", err)
	}
	return s.writer.health.synced(unsynced)
}

// due says how many syncs failed, whether it is time to try again, and what failed.
func (h *health) due(now time.Time) (unsynced int, try bool, failed error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil || now.Before(h.retryAt) {
		return h.unsynced, false, h.failed
	}
	h.retryAt = now.Add(probeEvery)
	return h.unsynced, true, h.failed
}

// note keeps what became of a batch.
func (h *health) note(err error) {
	if err != nil && !unwritable(err) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(err)
}

// lose keeps why a sync failed. A batch that is written says nothing of the disk.
func (h *health) lose(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsynced++
	h.keep(err)
}

// synced takes back that syncs failed, unless others did after so many, and returns
// what is left.
func (h *health) synced(unsynced int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if unsynced > 0 && h.unsynced == unsynced {
		h.unsynced, h.failed = 0, nil
	}
	return h.failed
}

// keep keeps why nothing can be written; nil takes it back. The caller holds mu.
func (h *health) keep(err error) {
	if err == nil && h.unsynced > 0 {
		return
	}
	if err != nil && h.failed == nil {
		h.retryAt = time.Now().Add(probeEvery)
	}
	h.failed = err
}

// unwritable tells a database that cannot be written from a row that it will not
// take.
func unwritable(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		full := []int{sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT}
		return slices.Contains(full, lite.Code()&0xff)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) { // insufficient resources, operator intervention, system error
		return slices.ContainsFunc([]string{"53", "57P", "58"}, func(class string) bool { return strings.HasPrefix(pg.Code, class) })
	}
	var away *pgconn.ConnectError
	var wire net.Error
	return errors.As(err, &away) || errors.As(err, &wire)
}
