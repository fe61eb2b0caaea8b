package connect

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"strings"
	"testing"

	driverfile "modernc.org/sqlite"

	"github.com/cellwall/cellwall"
)

// connector opens a file with a driver that nobody has to register.
type connector struct {
	driver driver.Driver
	path   string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.path) }
func (c connector) Driver() driver.Driver                        { return c.driver }

// What the file holds is nobody's business here: cmd/cellwall tests what becomes of it
// in a sandbox.
func TestM51_AFileOfSQLiteIsCopiedWhileNobodyWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	db := sql.OpenDB(connector{&driverfile.Driver{}, path})
	defer db.Close()
	db.SetMaxOpenConns(1)
	do := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	b, err := Open(t.TempDir(), map[string]Connection{"file": {URL: "sqlite:" + path}})
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, want cellwall.ErrorCode) {
		t.Helper()
		text, got, entry, err := take(t, b, Ask{Connection: "file", Table: "sales"})
		switch {
		case want == "" && (err != nil || !strings.HasPrefix(text, "SQLite format 3\x00") || got.Name != "sales.parquet" || got.Program == ""):
			t.Errorf("%s: %v %+v", what, err, entry)
		case want != "" && (err == nil || cellwall.CodeOf(err) != want):
			t.Errorf("%s: %v", what, err)
		}
	}
	do("CREATE TABLE sales (id TEXT)", "INSERT INTO sales VALUES ('007')")
	try("nobody writes", "")
	do("BEGIN EXCLUSIVE", "INSERT INTO sales VALUES ('008')")
	try("somebody writes", cellwall.CodeSourceFailed)
	do("ROLLBACK")
	try("nobody writes any more", "")
	do("BEGIN IMMEDIATE", "INSERT INTO sales VALUES ('008')", "COMMIT") // control: our lock is given back
	do("PRAGMA journal_mode = WAL", "INSERT INTO sales VALUES ('009')")
	try("a log with changes", cellwall.CodeSourceFailed)
	do("PRAGMA wal_checkpoint(TRUNCATE)")
	try("a log without changes", "")
	b.all["file"].from = sqlite{&connection{Connection: Connection{Rows: 1}}, filepath.Dir(path)}
	try("a directory", cellwall.CodeSourceFailed)
}
