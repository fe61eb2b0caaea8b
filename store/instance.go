package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/cleanup"
	"github.com/cellwall/cellwall/internal/filelock"
)

const (
	heartbeat = 3 * time.Second
	deadAfter = 15 * time.Second // without a heartbeat
)

// serve makes this process an instance. With SQLite it holds a lock, so all
// others are dead; with PostgreSQL an instance is alive while it says so.
func (s *Store) serve(ctx context.Context, undo *cleanup.Stack) error {
	if s.db.path != "" {
		lock, err := filelock.Open(s.db.path+".lock", 0o600)
		if errors.Is(err, filelock.ErrHeld) {
			return &cellwall.Error{
				Code: cellwall.CodeConflict, Op: "open database " + s.db.path, Err: errors.New("another service uses it"),
				Hint: "stop that one, or give several services one PostgreSQL",
			}
		}
		if err != nil {
			return fmt.Errorf("open database: %w", err)
		}
		undo.Add(lock.Close)
		stop := s.every(checkpointPeriod, "move log of the database", s.checkpoint)
		undo.Add(func() error { stop(); return nil })
	}
	s.instance = cellwall.NewID("inst")
	alive := func(ctx context.Context) error {
		return s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			at := micros(s.now())
			if s.db.path != "" {
				if _, err := t.exec(ctx, `DELETE FROM instances WHERE id <> $1`, s.instance); err != nil {
					return err
				}
			}
			_, err := t.exec(ctx, `INSERT INTO instances (id, at) VALUES ($1, $2)
				ON CONFLICT (id) DO UPDATE SET at = excluded.at`, s.instance, at)
			return err
		})
	}
	if err := alive(ctx); err != nil {
		return storeError("announce this service", err)
	}
	stop := s.every(heartbeat, "say that this service is alive", alive)
	undo.Add(func() error {
		stop()
		return s.writer.write(context.WithoutCancel(ctx), 0, func(ctx context.Context, t *tx) error {
			_, err := t.exec(ctx, `DELETE FROM instances WHERE id = $1`, s.instance)
			return err
		})
	})
	return nil
}

// every does something again and again until it is stopped.
func (s *Store) every(period time.Duration, what string, do func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := do(ctx); err != nil && ctx.Err() == nil {
				s.log.Error(what, "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// deadline is the oldest heartbeat of who is alive. A lock tells more than a
// clock where there is one.
func (s *Store) deadline() int64 {
	if s.db.path != "" {
		return 0
	}
	return micros(s.now().Add(-deadAfter))
}
