package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/cleanup"
	"github.com/cellwall/cellwall/store/blob"
)

// Options choose how a store is used. The zero value reads and writes rows, as
// a command does beside a running service.
type Options struct {
	// Serve makes this process one that answers requests. With SQLite there is at
	// most one at a time; with PostgreSQL others see it alive.
	Serve bool
	// Contents keeps the bytes of datasets, artifacts and uploads; nil = rows only.
	Contents blob.Store
	Logger   *slog.Logger     // nil = silent
	Now      func() time.Time // nil = time.Now
}

// Store keeps rows in one database and contents beside it. Its methods may be
// called concurrently. To every tenant but its own a row is CodeNotFound.
type Store struct {
	db       *database
	writer   *writer
	contents blob.Store
	instance string // of this process, "" unless it serves
	log      *slog.Logger
	now      func() time.Time
	behind   behind
	holdFor  time.Duration // of a content without a row
	uploads  sync.Map      // ids of which a piece is on its way
	undo     *cleanup.Stack
}

// Open opens the database that url names, "sqlite:PATH" or "postgres://…", and
// brings it up to date. It refuses one that a newer Cellwall has changed. The
// contents stay the caller's to close.
func Open(ctx context.Context, url string, o Options) (_ *Store, err error) {
	var undo cleanup.Stack
	defer func() {
		if err != nil {
			err = errors.Join(err, undo.Run())
		}
	}()
	s := &Store{contents: o.Contents, log: o.Logger, now: o.Now, holdFor: holdFor}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.db, err = openDatabase(url); err != nil {
		return nil, err
	}
	undo.Add(s.db.close)
	if err := s.db.migrate(ctx); err != nil {
		return nil, err
	}
	s.writer = newWriter(s.db)
	undo.Add(s.writer.close)
	if o.Serve {
		if err := s.serve(ctx, &undo); err != nil {
			return nil, err
		}
	}
	stop := s.every(behindPeriod, "keep entries", s.flush)
	undo.Add(func() error {
		stop()
		last := context.WithoutCancel(ctx)
		return errors.Join(s.flush(last), s.flush(last)) // the second has what the first found
	})
	s.undo = undo.Release()
	return s, nil
}

// Close waits for what is being written and closes the database.
func (s *Store) Close() error {
	if err := s.undo.Run(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Ping fails while the database cannot be read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.db.row(ctx, `SELECT 1`).Scan(&one); err != nil {
		return storeError("reach the database", err)
	}
	return nil
}

// Default returns the address of the database below a state directory.
func Default(stateDir string) string { return schemeSQLite + filepath.Join(stateDir, "service.db") }

func storeError(op string, err error) error {
	var known *cellwall.Error
	if errors.As(err, &known) && known.Op == op {
		return err
	}
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", op, err)
	}
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: op, Err: err,
		Hint: "look whether the database runs and has room",
	}
}

// missing is the same for what never was and for what belongs to another: it names
// no id, and where to look rather than what is there.
func missing(what string) error {
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: "find " + what, Err: errors.New("there is none of this id"), Hint: whereToLook[what],
	}
}

// whereToLook is what helps whoever mistyped an id, or comes too late.
var whereToLook = map[string]string{
	"approval":   "GET /v1/approvals lists yours; one that was decided goes after its time",
	"artifact":   "its id is in the result: GET /v1/executions/{id}; it goes with that, after its time",
	"dataset":    "GET /v1/datasets lists yours",
	"execution":  "GET /v1/executions lists yours; one goes after its time",
	"session":    "GET /v1/sessions lists yours that live",
	"upload":     "it may be complete, or have been left too long: begin another",
	"webhook":    "GET /v1/webhooks lists yours",
	"alert rule": "GET /v1/alerts lists yours",
}

// micros is how a time is kept; 0 stands for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
