package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"

	"github.com/cellwall/cellwall"
)

const schemeSQLite = "sqlite:"

// database is the connections to one database: readers, and the one that
// writes. Both kinds take the same queries, with $1 for what is put in.
type database struct {
	dialect goose.Dialect
	path    string // of the file, "" with PostgreSQL
	begin   string // of a transaction that will write

	reads, writes *sql.DB
	prepared      statements // on reads
}

func openDatabase(address string) (*database, error) {
	if path, ok := strings.CutPrefix(address, schemeSQLite); ok && path != "" {
		return openSQLite(path)
	}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return openPostgres(address)
	}
	return nil, &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: "open database", Err: errors.New("this is no address of one"), // it may hold a password
		Hint: "use sqlite:PATH or postgres://USER@HOST/NAME",
	}
}

// openSQLite uses one file, readable by its owner only. A commit is written when
// it returns and outlives the process; a syncer brings it to the disk.
func openSQLite(path string) (*database, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := makeFile(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	const both = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_dqs=0"
	name := "file:" + (&url.URL{Path: path}).EscapedPath()
	w, err := sqlite.NewConnector(name + "?" + both + "&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(" + strconv.Itoa(writerCheckpoints) + ")")
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	r, err := sqlite.NewConnector(name + "?" + both + "&_pragma=query_only(1)")
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &database{dialect: goose.DialectSQLite3, path: path, begin: "BEGIN IMMEDIATE", reads: sql.OpenDB(r), writes: sql.OpenDB(w)}
	db.limit(2 * runtime.GOMAXPROCS(0))
	return db, nil
}

// makeFile makes an empty database that only its owner reads. One that is there
// is not opened: with its descriptor would go the locks that this process holds
// on it.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func openPostgres(address string) (*database, error) {
	conf, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "open database", Err: errors.New("this is no address of PostgreSQL"),
			Hint: "use postgres://USER@HOST/NAME",
		}
	}
	if conf.ConnectTimeout == 0 {
		conf.ConnectTimeout = 10 * time.Second
	}
	db := &database{
		dialect: goose.DialectPostgres, begin: "BEGIN",
		reads: sql.OpenDB(stdlib.GetConnector(*conf)), writes: sql.OpenDB(stdlib.GetConnector(*conf)),
	}
	db.limit(16)
	return db, nil
}

func (db *database) limit(readers int) {
	db.writes.SetMaxOpenConns(1)
	db.reads.SetMaxOpenConns(readers)
	db.reads.SetMaxIdleConns(readers)
}

// patience is the context of one batch. A server may never answer; a file
// does, and watching for a deadline would cost each statement a goroutine.
func (db *database) patience() (context.Context, context.CancelFunc) {
	if db.path != "" {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), 30*time.Second)
}

func (db *database) close() error { return errors.Join(db.writes.Close(), db.reads.Close()) }

// query reads rows past the writer.
func (db *database) query(ctx context.Context, text string, args []any, each func(scan func(...any) error) error) error {
	if err := plain(args); err != nil {
		return err
	}
	stmt, err := db.prepared.of(ctx, db.reads, text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return eachRow(rows, err, each)
}

// row reads one row past the writer.
func (db *database) row(ctx context.Context, text string, args ...any) scanner {
	if err := plain(args); err != nil {
		return failed{err}
	}
	stmt, err := db.prepared.of(ctx, db.reads, text)
	if err != nil {
		return failed{err}
	}
	return stmt.QueryRowContext(ctx, args...)
}

type scanner interface{ Scan(...any) error }

// failed is the row of a query that could not be asked.
type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// eachRow hands out the rows of a query and closes it.
func eachRow(rows *sql.Rows, err error, each func(scan func(...any) error) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// statements keeps what was prepared: the queries of this package are few and
// asked again and again.
type statements struct{ known sync.Map }

func (s *statements) of(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	if stmt, ok := s.known.Load(text); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if old, ok := s.known.LoadOrStore(text, stmt); ok {
		return old.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// collided reports whether two writers of PostgreSQL stood in each other's way, or
// made the same row, and a new try will do.
func collided(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01" || pg.Code == "23505")
}
