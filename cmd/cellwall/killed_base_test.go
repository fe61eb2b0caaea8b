package main

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// base is the database of a service, reached beside it: what the database refuses is
// as if the service had died before it.
type base struct {
	t      *testing.T
	db     *sql.DB
	sqlite bool
	mend   []string // statements
}

func openBase(t *testing.T, address string) *base {
	t.Helper()
	path, sqlite := strings.CutPrefix(address, "sqlite:")
	driver, place := "pgx", address
	if sqlite {
		driver, place = "sqlite", path+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &base{t: t, db: db, sqlite: sqlite}
}

// refuse has it take no such writes: "UPDATE OF status ON once".
func (b *base) refuse(writes ...string) {
	b.t.Helper()
	if !b.sqlite {
		b.exec(`CREATE OR REPLACE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut'; END $$`)
	}
	for i, write := range writes {
		_, table, _ := strings.Cut(write, " ON ")
		make, drop := `CREATE TRIGGER cut%d BEFORE %s FOR EACH ROW EXECUTE FUNCTION cut()`, `DROP TRIGGER cut%d ON %s`
		if b.sqlite {
			make, drop = `CREATE TRIGGER cut%d BEFORE %s BEGIN SELECT RAISE(ABORT, 'cut'); END`, `DROP TRIGGER cut%d -- %s`
		}
		b.exec(fmt.Sprintf(make, i, write))
		b.mend = append(b.mend, fmt.Sprintf(drop, i, table))
	}
}

// accept has it take everything again.
func (b *base) accept() {
	b.t.Helper()
	for _, statement := range b.mend {
		b.exec(statement)
	}
	b.mend = nil
}

func (b *base) exec(statement string) {
	b.t.Helper()
	if _, err := b.db.Exec(statement); err != nil {
		b.t.Fatal(err)
	}
}

// count is the number that a query gives.
func (b *base) count(query string) (n int) {
	b.t.Helper()
	if err := b.db.QueryRow(query).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *base) rows(table string) int { return b.count(`SELECT count(*) FROM ` + table) }
