package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cellwall/cellwall"
)

// shop is a database with a role that may read two of its three tables.
type shop struct {
	admin *pgx.Conn
	url   *url.URL
	role  string
}

func openShop(t *testing.T) *shop {
	t.Helper()
	address := os.Getenv("CELLWALL_TEST_POSTGRES")
	if address == "" {
		t.Skip("skip, proof: no PostgreSQL server was started on this host, CELLWALL_TEST_POSTGRES is empty")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{url: u, role: strings.ToLower(cellwall.NewID("r"))}
	if s.admin, err = pgx.Connect(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.run(t, `DROP SCHEMA `+s.role+` CASCADE; DROP OWNED BY `+s.role+`; DROP ROLE `+s.role)
		if err := s.admin.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.run(t, strings.ReplaceAll(`CREATE ROLE NAME LOGIN; CREATE SCHEMA NAME; SET search_path = NAME;
		CREATE TABLE sales (id text, day date, at timestamptz, price numeric(10,2), n int, share float8, paid bool, note text, tags text[]);
		INSERT INTO sales VALUES ('007', '2026-01-02', '2026-01-02 03:04:05.5+02', 12.50, 3, 0.5, true, E'a "quoted", \nline', '{x,y}'), ('008', NULL, NULL, NULL, NULL, NULL, NULL, '', NULL);
		CREATE TABLE "Odd ""name" (x int); INSERT INTO "Odd ""name" VALUES (1);
		CREATE TABLE closed (x int); INSERT INTO closed VALUES (42); CREATE SEQUENCE counter;
		GRANT USAGE ON SCHEMA NAME TO NAME; GRANT ALL ON sales, "Odd ""name", counter TO NAME; ALTER ROLE NAME SET search_path = NAME`, "NAME", s.role))
	return s
}

func (s *shop) run(t *testing.T, statements string) {
	t.Helper()
	if _, err := s.admin.Exec(context.Background(), statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// book has a connection of the role, and one of the server's superuser.
func (s *shop) book(t *testing.T, change func(*Connection)) *Book {
	t.Helper()
	as := func(role string) string {
		u := *s.url
		u.User = url.User(role)
		return u.String()
	}
	t.Setenv("SHOP_SECRET", hidden)
	c := Connection{URL: as(s.role), SecretEnv: "SHOP_SECRET"}
	if change != nil {
		change(&c)
	}
	b, err := Open(t.TempDir(), map[string]Connection{"shop": c, "super": {URL: s.url.String()}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func take(t *testing.T, b *Book, ask Ask) (text string, got *Snapshot, entry Entry, err error) {
	t.Helper()
	if ask.Connection == "" {
		ask.Connection = "shop"
	}
	ask.Allowed = []string{"shop", "super", "lake", "file"}
	got, entry, err = b.Snapshot(t.Context(), ask)
	if err != nil {
		raw, _ := json.Marshal(entry)
		if all := fmt.Sprintf("%v %+v %s %s", err, err, raw, cellwall.HintOf(err)); strings.Contains(all, hidden) {
			t.Errorf("the secret is told: %s", all)
		}
		return "", nil, entry, err
	}
	raw, err := io.ReadAll(got.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	return string(raw), got, entry, nil
}

func TestM51_PostgreSQLGivesRowsWithTheirTypes(t *testing.T) {
	s := openShop(t)
	b := s.book(t, nil)
	text, got, entry, err := take(t, b, Ask{Table: "sales"})
	want := "\"007\",\"2026-01-02\",\"2026-01-02 01:04:05.5+00\",\"12.50\",\"3\",\"0.5\",\"t\",\"a \"\"quoted\"\", \nline\",\"{x,y}\"\n" + "\"008\",,,,,,,\"\",\n"
	if err != nil || text != want || got.Name != "sales.parquet" || entry.Bytes != int64(len(want)) {
		t.Fatalf("%q, want %q: %+v %v", text, want, entry, err)
	}
	for _, part := range []string{`\"name\":\"id\",\"type\":\"text\"`, `\"at\",\"type\":\"timestamptz\"`, `\"price\",\"type\":\"decimal\"`, `\"paid\",\"type\":\"bool\"`} {
		if !strings.Contains(got.Program, part) {
			t.Errorf("the program does not know %s", part)
		}
	}
	for ask, want := range map[string]string{`Odd "name`: "\"1\"\n", s.role + ".sales": text} {
		if text, _, _, err := take(t, b, Ask{Table: ask}); err != nil || text != want {
			t.Errorf("%s: %q %v", ask, text, err)
		}
	}
	if text, _, _, err := take(t, b, Ask{Query: "SELECT count(*) AS n, sum(price) FROM sales -- all of them"}); err != nil || text != "\"2\",\"12.50\"\n" {
		t.Errorf("%q %v", text, err)
	}
	if text, _, _, err := take(t, b, Ask{Query: "SELECT * FROM generate_series(1, 12001)"}); err != nil || strings.Count(text, "\n") != 12001 {
		t.Errorf("%d rows, %v", strings.Count(text, "\n"), err)
	}
	if text, _, _, err := take(t, b, Ask{Query: "SELECT * FROM sales WHERE false"}); err != nil || text != "" {
		t.Errorf("%q %v", text, err)
	}
}

func TestM51_NothingThatAQuerySaysChangesTheDatabase(t *testing.T) {
	s := openShop(t)
	b := s.book(t, func(c *Connection) { c.Timeout, c.Rows, c.Bytes = time.Second, 1000, 1<<20 })
	for query, want := range map[string]cellwall.ErrorCode{
		"SELECT id FROM sales": "", // control
		"TABLE sales":          "",
		"VALUES (1), (2)":      "",
		"WITH a AS (SELECT 1 AS x) SELECT * FROM a":                 "",
		"DELETE FROM sales":                                         cellwall.CodeBadRequest,
		"DELETE FROM sales RETURNING *":                             cellwall.CodeBadRequest,
		"INSERT INTO sales VALUES ('9') RETURNING *":                cellwall.CodeBadRequest,
		"UPDATE sales SET id = 'x'":                                 cellwall.CodeBadRequest,
		"DROP TABLE sales":                                          cellwall.CodeBadRequest,
		"SELECT 1; DROP TABLE sales":                                cellwall.CodeBadRequest,
		"SELECT 1;":                                                 "", // one statement, and an end
		"SELECT 1; COMMIT; DELETE FROM sales":                       cellwall.CodeBadRequest,
		"WITH d AS (DELETE FROM sales RETURNING *) SELECT * FROM d": cellwall.CodeBadRequest,
		"SELECT * INTO stolen FROM sales":                           cellwall.CodeBadRequest,
		"SELECT 1) TO PROGRAM 'touch /tmp/x'":                       cellwall.CodeBadRequest,
		"COPY sales TO PROGRAM 'cat'":                               cellwall.CodeBadRequest,
		"COPY (SELECT 1) TO '/tmp/x'":                               cellwall.CodeBadRequest,
		"EXPLAIN ANALYZE DELETE FROM sales":                         cellwall.CodeBadRequest,
		"DO $$ BEGIN DELETE FROM sales; END $$":                     cellwall.CodeBadRequest,
		"COMMIT":                                                    cellwall.CodeBadRequest,
		"SET TRANSACTION READ WRITE":                                cellwall.CodeBadRequest,
		"SELECT nextval('counter')":                                 cellwall.CodeForbidden,
		"SELECT * FROM sales FOR UPDATE":                            cellwall.CodeForbidden,
		"SELECT set_config('transaction_read_only', 'off', true)":   cellwall.CodeSourceFailed,
		"SELECT pg_read_file('/etc/passwd')":                        cellwall.CodeForbidden,
		"SELECT * FROM closed":                                      cellwall.CodeForbidden,
		"SELECT rolpassword FROM pg_authid":                         cellwall.CodeForbidden,
		"SELECT * FROM nowhere":                                     cellwall.CodeNotFound,
		"SELECT colour FROM sales":                                  cellwall.CodeBadRequest,
		"SELEC 1":                                                   cellwall.CodeBadRequest,
		"SELECT pg_sleep(60)":                                       cellwall.CodeSourceFailed,
		"SELECT * FROM generate_series(1, 1001)":                    cellwall.CodeTooLarge,
		"SELECT repeat('x', 2000000)":                               cellwall.CodeTooLarge,
		"SELECT repeat('x', 17000000)":                              cellwall.CodeSourceFailed, // no message is as long
		"SELECT repeat('x', 10000) FROM generate_series(1, 1000)":   cellwall.CodeTooLarge,
	} {
		began := time.Now()
		_, _, entry, err := take(t, b, Ask{Query: query})
		if want == "" && err != nil || want != "" && (err == nil || cellwall.CodeOf(err) != want) || entry.Query != query {
			t.Errorf("%s: %v (%s), want %q", query, err, entry.Cause, want)
		}
		if time.Since(began) > 10*time.Second {
			t.Errorf("%s: took %v", query, time.Since(began))
		}
	}
	// Before version 16 a transaction that only reads makes large objects; it is rolled back.
	if _, _, _, err := take(t, b, Ask{Query: "SELECT lo_create(0)"}); err != nil && cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Error(err)
	}
	var rows, tables, large int
	if err := s.admin.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM sales), (SELECT count(*) FROM pg_tables WHERE schemaname = $1),
		(SELECT count(*) FROM pg_largeobject_metadata)`, s.role).Scan(&rows, &tables, &large); err != nil || rows != 2 || tables != 3 || large != 0 {
		t.Errorf("%d rows, %d tables, %d large objects, %v", rows, tables, large, err)
	}
}

func TestM51_ARoleThatCanActOnItsServerIsRefused(t *testing.T) {
	s := openShop(t)
	b := s.book(t, nil)
	if _, _, _, err := take(t, b, Ask{Connection: "super", Query: "SELECT 1"}); cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Error("a superuser:", err)
	}
	for _, power := range []string{"pg_execute_server_program", "pg_read_server_files", "pg_write_server_files"} {
		s.run(t, "GRANT "+power+" TO "+s.role)
		if _, _, _, err := take(t, b, Ask{Query: "SELECT 1"}); cellwall.CodeOf(err) != cellwall.CodeForbidden {
			t.Errorf("%s: %v", power, err)
		}
		s.run(t, "REVOKE "+power+" FROM "+s.role)
	}
	if _, _, _, err := take(t, b, Ask{Query: "SELECT 1"}); err != nil {
		t.Error("control:", err)
	}
}

func TestM51_AServerThatIsNotThereTellsNothing(t *testing.T) {
	t.Setenv("SHOP_SECRET", hidden)
	t.Setenv("PGPASSWORD", "another")
	b, err := Open(t.TempDir(), map[string]Connection{"shop": {URL: "postgres://reader@127.0.0.1:1/shop?sslmode=disable", SecretEnv: "SHOP_SECRET", Timeout: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, entry, err := take(t, b, Ask{Table: "sales"})
	if cellwall.CodeOf(err) != cellwall.CodeSourceFailed || strings.Contains(err.Error()+cellwall.HintOf(err), "127.0.0.1") || entry.Cause == "" {
		t.Errorf("%v, %+v", err, entry)
	}
	t.Setenv("SHOP_SECRET", "")
	if _, _, _, err := take(t, b, Ask{Table: "sales"}); cellwall.CodeOf(err) != cellwall.CodeSourceFailed {
		t.Error(err)
	}
}
