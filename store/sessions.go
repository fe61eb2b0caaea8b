package store

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// LiveSession is a session that a service has. Its state is the service's: it
// ends with it.
type LiveSession struct {
	Tenant, ID, Subject string
	At                  time.Time
	Tools               []byte    // Toolbox.Plan; nil = the session has none
	ToolsUntil          time.Time // Toolbox.Until
}

// OpenSession keeps that a session lives, and what its tenant is told, all or
// nothing.
func (s *Store) OpenSession(ctx context.Context, l LiveSession, told cellwall.Happening) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, `INSERT INTO sessions (tenant, id, subject, instance, at) VALUES ($1, $2, $3, $4, $5)`,
			l.Tenant, l.ID, l.Subject, s.instance, micros(l.At)); err != nil {
			return err
		}
		if l.Tools != nil {
			if err := keepToolbox(ctx, t, Toolbox{Tenant: l.Tenant, Session: l.ID, At: l.At, Until: l.ToolsUntil, Plan: l.Tools}); err != nil {
				return err
			}
		}
		return s.appendEvents(ctx, t, []cellwall.Happening{told})
	})
	if err != nil {
		return storeError("keep session", err)
	}
	return nil
}

// EndSession keeps that it lives no more, and what its tenant is told. Its tools go
// with it unless they are to outlive it, as they do a service that ends.
func (s *Store) EndSession(ctx context.Context, tenant, id string, keepTools bool, told cellwall.Happening) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `DELETE FROM sessions WHERE tenant = $1 AND id = $2`, tenant, id)
		if err != nil || n == 0 { // told already
			return err
		}
		if !keepTools {
			if _, err := t.exec(ctx, `DELETE FROM toolboxes WHERE tenant = $1 AND session = $2`, tenant, id); err != nil {
				return err
			}
		}
		return s.appendEvents(ctx, t, []cellwall.Happening{told})
	})
	if err != nil {
		return storeError("end session", err)
	}
	return nil
}

// LoseSessions forgets the sessions of services that died, and tells what lost
// says of each.
func (s *Store) LoseSessions(ctx context.Context, lost func(LiveSession) cellwall.Happening) (n int, err error) {
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		var gone []LiveSession
		err := t.query(ctx, `DELETE FROM sessions WHERE instance <> $1
			AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = instance AND i.at >= $2) RETURNING tenant, id, subject, at`,
			[]any{s.instance, s.deadline()}, func(scan func(...any) error) error {
				var l LiveSession
				var at int64
				err := scan(&l.Tenant, &l.ID, &l.Subject, &at)
				l.At = fromMicros(at)
				gone = append(gone, l)
				return err
			})
		n = len(gone)
		for _, l := range gone {
			if err == nil {
				err = s.appendEvents(ctx, t, []cellwall.Happening{lost(l)})
			}
		}
		return err
	})
	if err != nil {
		return 0, storeError("lose sessions", err)
	}
	return n, nil
}
