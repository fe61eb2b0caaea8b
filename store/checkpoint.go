package store

import (
	"context"
	"fmt"
	"time"
)

// SQLite's log is moved into the database behind the writer. If that waited until
// the log has a thousand pages, the commit that comes then would pay for it, with
// a sync: every hundredth execution waited 6 to 11 ms.
const (
	checkpointPeriod = 250 * time.Millisecond
	checkpointTries  = 3
)

// writerCheckpoints is the log's pages, 32 MiB, at which the writer moves them
// itself: nobody else could, or not fast enough.
const writerCheckpoints = 8192

// checkpoint moves the log and holds nobody up. The writer begins the log anew once
// all of it was moved, so what came meanwhile is moved at once, too. Where thousands of
// commits come in a second, some always came, and the log reaches writerCheckpoints.
func (s *Store) checkpoint(ctx context.Context) error {
	last := -1
	for range checkpointTries {
		var busy, pages, moved int
		if err := s.db.reads.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved); err != nil {
			return fmt.Errorf("move log of the database: %w", err)
		}
		if pages == last { // nothing came meanwhile
			return nil
		}
		last = pages
	}
	return nil
}
