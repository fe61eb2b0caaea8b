package audit

import (
	"sync/atomic"
	"time"
)

// Stats are what a log wrote since it was opened.
type Stats struct {
	Batches int64
	Entries int64         // that shared them
	Took    time.Duration // all batches together; the sync comes behind them
}

// stats count batches, failed ones too.
type stats struct{ batches, entries, took atomic.Int64 }

func (s *stats) count(entries int, took time.Duration) {
	s.batches.Add(1)
	s.entries.Add(int64(entries))
	s.took.Add(int64(took))
}

// Stats returns the figures of this moment.
func (l *Log) Stats() Stats {
	return Stats{Batches: l.stats.batches.Load(), Entries: l.stats.entries.Load(), Took: time.Duration(l.stats.took.Load())}
}
