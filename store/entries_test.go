package store

import (
	"slices"
	"testing"
)

func unrecorded(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	if err := s.Unrecorded(t.Context(), func(_, id string, _ []byte) error { ids = append(ids, id); return nil }); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestM35_ARecordIsMarkedOnlyAPeriodAfterItWasWritten(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		byHand := &Store{db: s.db, writer: s.writer, log: s.log, now: s.now} // no clock marks its own
		k := done("tnt_a")
		keep(t, byHand, k)
		byHand.Recorded("tnt_a", k.ID)
		for _, want := range [][]string{{k.ID}, nil} {
			if err := byHand.flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := unrecorded(t, s); !slices.Equal(got, want) {
				t.Errorf("without a record: %q, want %q", got, want)
			}
		}
	})
}

func TestM35_AStoreThatIsClosedMarksEveryRecord(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		s := doomed(t, address, Options{})
		k := done("tnt_a")
		keep(t, s, k)
		s.Recorded("tnt_a", k.ID)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := unrecorded(t, openAt(t, address, Options{})); got != nil {
			t.Errorf("without a record: %q", got)
		}
	})
}
