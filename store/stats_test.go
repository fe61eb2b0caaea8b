package store

import (
	"testing"
	"time"

	"github.com/pressly/goose/v3"
)

func TestStats_count_batches_and_what_shared_them(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		before := s.Stats()
		for range 5 {
			keep(t, s, done("tnt_a"))
		}
		got := s.Stats()
		if got.Writes-before.Writes != 5 || got.Batches-before.Batches != 5 || got.Took <= before.Took {
			t.Errorf("%+v, before %+v", got, before)
		}
		if s.db.dialect != goose.DialectSQLite3 {
			return
		}
		for until := time.Now().Add(10 * time.Second); s.Stats().Syncs == before.Syncs; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("what was written is never brought to the disk")
			}
		}
	})
}
