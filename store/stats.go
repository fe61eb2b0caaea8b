package store

import (
	"sync/atomic"
	"time"
)

// Stats are what a store wrote since it was opened.
type Stats struct {
	Batches int64
	Writes  int64         // that shared them
	Took    time.Duration // all batches together; of PostgreSQL the sync included
	Syncs   int64         // of SQLite's log, behind the batches
}

// stats count batches, failed ones too.
type stats struct{ batches, writes, took atomic.Int64 }

func (s *stats) count(writes int, took time.Duration) {
	s.batches.Add(1)
	s.writes.Add(int64(writes))
	s.took.Add(int64(took))
}

// Stats returns the figures of this moment.
func (s *Store) Stats() Stats {
	n := &s.writer.stats
	return Stats{Batches: n.batches.Load(), Writes: n.writes.Load(), Took: time.Duration(n.took.Load()), Syncs: s.writer.syncer.Count()}
}
