package store

import (
	"context"
	"errors"
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
