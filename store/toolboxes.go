package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// Toolbox is what is kept of a session's tools. The documents are those of whoever
// keeps it.
type Toolbox struct {
	Tenant, Session string
	At, Until       time.Time
	Plan            []byte // on what they work
	State           []byte // how far the conversation has come; nil = it has not begun
	Tables          []byte // as they were described; nil = not yet
	Rev             int64  // grows by one with each save
}

// keepToolbox is part of the beginning of a session.
func keepToolbox(ctx context.Context, t *tx, b Toolbox) error {
	_, err := t.exec(ctx, `INSERT INTO toolboxes (tenant, session, at, until, rev, plan, state, tables) VALUES ($1, $2, $3, $4, 0, $5, '', '')`,
		b.Tenant, b.Session, micros(b.At), micros(b.Until), string(b.Plan))
	return err
}

// KeepToolbox keeps a new one, of no session that lives.
func (s *Store) KeepToolbox(ctx context.Context, b Toolbox) error {
	if err := s.writer.write(ctx, len(b.Plan), func(ctx context.Context, t *tx) error { return keepToolbox(ctx, t, b) }); err != nil {
		return storeError("keep the tools of a session", err)
	}
	return nil
}

// DropToolbox forgets one of the tenant's.
func (s *Store) DropToolbox(ctx context.Context, tenant, session string) error {
	return s.change(ctx, "end the tools of a session", "session", `DELETE FROM toolboxes WHERE tenant = $1 AND session = $2`, tenant, session)
}

// Toolbox returns that of a session of the tenant's which was not ended.
func (s *Store) Toolbox(ctx context.Context, tenant, session string) (Toolbox, error) {
	b := Toolbox{Tenant: tenant, Session: session}
	var at, until int64
	var plan, state, tables string
	err := s.db.row(ctx, `SELECT at, until, rev, plan, state, tables FROM toolboxes WHERE tenant = $1 AND session = $2 AND until > $3`,
		tenant, session, micros(s.now())).Scan(&at, &until, &b.Rev, &plan, &state, &tables)
	if errors.Is(err, sql.ErrNoRows) {
		return b, missing("session")
	}
	if err != nil {
		return b, storeError("find the tools of a session", err)
	}
	b.At, b.Until, b.Plan = fromMicros(at), fromMicros(until), []byte(plan)
	b.State, b.Tables = unlessEmpty(state), unlessEmpty(tables)
	return b, nil
}

func unlessEmpty(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// SaveToolbox keeps Plan, State and Tables of one that is still as it was read.
// CodeConflict: another service has changed it.
func (s *Store) SaveToolbox(ctx context.Context, b Toolbox) error {
	err := s.writer.write(ctx, len(b.Plan)+len(b.State)+len(b.Tables), func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `UPDATE toolboxes SET state = $1, tables = $2, plan = $6, rev = rev + 1 WHERE tenant = $3 AND session = $4 AND rev = $5`,
			string(b.State), string(b.Tables), b.Tenant, b.Session, b.Rev, string(b.Plan))
		if err == nil && n == 0 {
			return refused{&cellwall.Error{
				Code: cellwall.CodeConflict, Op: "keep the tools of a session", Err: errors.New("another call has changed them, or the session is over"),
				Hint: "look at the tools again",
			}}
		}
		return err
	})
	if err != nil {
		return storeError("keep the tools of a session", err)
	}
	return nil
}
