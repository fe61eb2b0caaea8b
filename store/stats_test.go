package store

import "testing"

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
	})
}
