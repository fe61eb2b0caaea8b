package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// try runs a batch in one transaction. sent says that its commit was sent, so
// that after an error nobody knows what became of it. answers are the refusals.
func (w *writer) try(ctx context.Context, batch []*op) (answers []error, sent bool, err error) {
	none := make([]error, len(batch))
	if w.line == nil {
		if w.line, err = w.db.open(ctx); err != nil {
			return none, false, err
		}
	}
	if _, err := w.line.exec(ctx, w.db.begin); err != nil {
		w.drop()
		return none, false, err
	}
	answers, err = w.line.all(ctx, batch)
	if err != nil {
		if _, back := w.line.exec(context.WithoutCancel(ctx), "ROLLBACK"); back != nil {
			w.drop()
		}
		return none, false, err
	}
	if _, err = w.line.exec(ctx, "COMMIT"); err != nil {
		w.drop() // with it goes what is open on it
	}
	return answers, true, err
}

// drop gives up a connection of which nobody knows where it stands.
func (w *writer) drop() {
	w.line.close()
	w.line = nil
}

// line is the connection that writes, and what was prepared on it.
type line struct {
	conn  *sql.Conn
	known map[string]*sql.Stmt
}

func (db *database) open(ctx context.Context) (*line, error) {
	conn, err := db.writes.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &line{conn: conn, known: map[string]*sql.Stmt{}}, nil
}

// close ends the connection itself: the pool must not hand it out again. SQLite
// keeps one, with its transaction and locks, as long as it has statements.
func (l *line) close() {
	for _, stmt := range l.known {
		_ = stmt.Close() // they go with the connection
	}
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = l.conn.Close() // it is closed already
}

// all runs every op of a batch, until one fails.
func (l *line) all(ctx context.Context, batch []*op) ([]error, error) {
	answers := make([]error, len(batch))
	for i, o := range batch {
		if answers[i] = o.ctx.Err(); answers[i] != nil {
			continue
		}
		err := o.do(ctx, &tx{l})
		var no refused
		if errors.As(err, &no) {
			answers[i] = no.error
		} else if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// refused is the answer of an op that decided to write nothing: the batch goes
// on without it.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// tx is the transaction of a batch. It outlives none of it.
type tx struct{ *line }

// exec changes rows and says how many.
func (l *line) exec(ctx context.Context, text string, args ...any) (int64, error) {
	if err := plain(args); err != nil {
		return 0, err
	}
	stmt, err := l.stmt(ctx, text)
	if err != nil {
		return 0, err
	}
	done, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func (l *line) row(ctx context.Context, text string, args ...any) scanner {
	if err := plain(args); err != nil {
		return failed{err}
	}
	stmt, err := l.stmt(ctx, text)
	if err != nil {
		return failed{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (l *line) query(ctx context.Context, text string, args []any, each func(scan func(...any) error) error) error {
	if err := plain(args); err != nil {
		return err
	}
	stmt, err := l.stmt(ctx, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return eachRow(rows, err, each)
}

func (l *line) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := l.known[text]; ok {
		return stmt, nil
	}
	stmt, err := l.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	l.known[text] = stmt
	return stmt, nil
}
