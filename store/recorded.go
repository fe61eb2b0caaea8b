package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// recorded is what was recorded since the last time that it was told to the
// database. Nothing waits for it: who dies with it looks the records up.
type recorded struct {
	mu  sync.Mutex
	ids []recordedID
}

type recordedID struct{ tenant, id string }

const (
	tellRecorded = time.Second
	maxRecorded  = 100_000 // beyond it the records are looked up at the next start
)

// Recorded says that an execution's entry is in the log, so that it need not be
// kept here as well.
func (s *Store) Recorded(tenant, id string) {
	s.recorded.mu.Lock()
	defer s.recorded.mu.Unlock()
	if len(s.recorded.ids) < maxRecorded {
		s.recorded.ids = append(s.recorded.ids, recordedID{tenant, id})
	}
}

// forgetEntries drops the entries that are in the log.
func (s *Store) forgetEntries(ctx context.Context) error {
	s.recorded.mu.Lock()
	ids := s.recorded.ids
	s.recorded.ids = nil
	s.recorded.mu.Unlock()
	for len(ids) > 0 {
		part := ids[:min(len(ids), batchOps)]
		ids = ids[len(part):]
		err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			for _, r := range part {
				if _, err := t.exec(ctx, `UPDATE executions SET entry = NULL WHERE tenant = $1 AND id = $2`, r.tenant, r.id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return storeError("forget entries", err)
		}
	}
	return nil
}

// Unrecorded returns the entries, oldest first, of executions that were kept and
// whose record a death prevented. recorded looks the others up.
func (s *Store) Unrecorded(ctx context.Context, recorded func(id string) (bool, error)) (entries [][]byte, err error) {
	err = s.db.query(ctx, `SELECT tenant, id, entry FROM executions WHERE entry IS NOT NULL ORDER BY at`, nil, func(scan func(...any) error) error {
		var tenant, id string
		var entry []byte
		if err := scan(&tenant, &id, &entry); err != nil {
			return err
		}
		there, err := recorded(id)
		if err != nil {
			return fmt.Errorf("look up %s: %w", id, err)
		}
		if there {
			s.Recorded(tenant, id)
			return nil
		}
		entries = append(entries, entry)
		return nil
	})
	if err != nil {
		return nil, storeError("find executions without a record", err)
	}
	return entries, nil
}
