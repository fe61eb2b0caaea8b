package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cellwall/cellwall"
)

// A database that may have no further page answers as a full disk does.
func TestM35_AStoreThatCannotBeWrittenSaysSoUntilItCan(t *testing.T) {
	s := openAt(t, schemeSQLite+filepath.Join(t.TempDir(), "service.db"), Options{})
	pages := func(n string) {
		t.Helper()
		if err := s.writer.write(t.Context(), 0, func(ctx context.Context, tx *tx) error {
			var now int
			return tx.row(ctx, `PRAGMA max_page_count = `+n).Scan(&now)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Healthy(t.Context()); err != nil {
		t.Fatalf("before: %v", err)
	}
	pages("1") // SQLite makes it what there is
	var full error
	for range 200 {
		if full = s.KeepEntry(t.Context(), "tnt_a", cellwall.NewID("exec"), time.Now(), []byte(strings.Repeat("x", 20_000))); full != nil {
			break
		}
	}
	if full == nil || s.Healthy(t.Context()) == nil {
		t.Fatalf("full: %v, healthy %v", full, s.Healthy(t.Context()))
	}
	s.writer.health.note(nil) // else the pragma's own batch would do it
	pages("1000000")
	s.writer.health.note(full)
	if s.Healthy(t.Context()) == nil {
		t.Error("it is tried again at once")
	}
	s.writer.health.retryAt = time.Time{}
	if err := s.Healthy(t.Context()); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A disk that takes pages and keeps none: no sync can open the log.
func TestM35_AStoreWhoseSyncFailedSaysSoUntilOneSucceeds(t *testing.T) {
	s := openAt(t, schemeSQLite+filepath.Join(t.TempDir(), "service.db"), Options{})
	write := func() {
		t.Helper()
		if err := s.KeepEntry(t.Context(), "tnt_a", cellwall.NewID("exec"), time.Now(), []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	write()
	log := s.writer.wal
	if err := errors.Join(os.Rename(log, log+".kept"), os.Symlink(log, log)); err != nil {
		t.Fatal(err)
	}
	s.writer.syncer.Soon(log)
	if err := s.writer.syncer.Flush(); err == nil {
		t.Fatal("the log was synced where there is none")
	}
	for range 3 {
		write()
		if s.Healthy(t.Context()) == nil {
			t.Fatal("new work may begin, and what is kept of it reaches no disk")
		}
		s.writer.health.retryAt = time.Time{}
	}
	if err := os.Rename(log+".kept", log); err != nil {
		t.Fatal(err)
	}
	s.writer.health.retryAt = time.Time{}
	if err := s.Healthy(t.Context()); err != nil {
		t.Errorf("with a disk again: %v", err)
	}
}

func TestHealth_tells_a_refused_row_from_a_database_that_is_away(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"a row that breaks a rule": {&pgconn.PgError{Code: "23505"}, false},
		"text that is none":        {&pgconn.PgError{Code: "22021"}, false},
		"no room":                  {&pgconn.PgError{Code: "53100"}, true},
		"shutting down":            {&pgconn.PgError{Code: "57P01"}, true},
		"a caller who left":        {context.Canceled, false},
		"whatever":                 {errors.New("x"), false},
	} {
		if got := unwritable(tt.err); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
