package store

import (
	"context"
	"database/sql"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/store/blob"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// postgresVariable names a server that tests may make schemas in. scripts/test.sh
// starts one.
const postgresVariable = "CELLWALL_TEST_POSTGRES"

// onEach runs a test on every database that there is.
func onEach(t *testing.T, test func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(t, schemeSQLite+filepath.Join(t.TempDir(), "service.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		server := os.Getenv(postgresVariable)
		if server == "" {
			t.Skipf("skip, proof: no PostgreSQL server was started on this host, %s is empty", postgresVariable)
		}
		test(t, schema(t, server))
	})
}

// schema makes an empty schema and returns its address.
func schema(t *testing.T, server string) string {
	t.Helper()
	conf, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower(cellwall.NewID("t"))
	db := sql.OpenDB(stdlib.GetConnector(*conf))
	if _, err := db.Exec(`CREATE SCHEMA ` + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(`DROP SCHEMA ` + name + ` CASCADE`); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	mark := "?"
	if strings.Contains(server, "?") {
		mark = "&"
	}
	return server + mark + "search_path=" + name
}

// doomed opens a service that the test lets crash.
func doomed(t *testing.T, address string, o Options) *Store {
	t.Helper()
	o.Serve = true
	s, err := Open(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openAt opens a store that answers requests, until the test ends.
func openAt(t *testing.T, address string, o Options) *Store {
	t.Helper()
	s := doomed(t, address, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// contentKind is a place for contents of a test.
type contentKind struct {
	name string
	open func(t *testing.T) blob.Store
}

func onDisk(t *testing.T) blob.Store {
	t.Helper()
	d, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func onS3(t *testing.T) blob.Store {
	t.Helper()
	address := os.Getenv("CELLWALL_TEST_S3")
	if address == "" {
		t.Skip("skip, proof: no S3 server was started on this host, CELLWALL_TEST_S3 is empty")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := blob.OpenS3(t.Context(), blob.S3Options{
		Bucket: u.Host, Prefix: cellwall.NewID("test"), Endpoint: u.Query().Get("endpoint"), Region: u.Query().Get("region"),
		Insecure: true, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// onContents runs a test on every database with every kind of contents.
func onContents(t *testing.T, test func(t *testing.T, s *Store, o *clock)) {
	t.Helper()
	for _, kind := range []contentKind{{"disk", onDisk}, {"s3", onS3}} {
		t.Run(kind.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, address string) {
				c := &clock{now: noon}
				test(t, openAt(t, address, Options{Contents: kind.open(t), Now: c.Now}), c)
			})
		})
	}
}

// clock is what a test says it is.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// onStore runs a test on an empty store of every kind.
func onStore(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Helper()
	onEach(t, func(t *testing.T, address string) { test(t, openAt(t, address, Options{})) })
}

// crash ends a store as kill -9 does: nothing is said to anybody.
func (s *Store) crash(t *testing.T) {
	t.Helper()
	s.db.writes.Close()
	s.db.reads.Close()
	_ = s.writer.write(context.Background(), 0, func(_ context.Context, t *tx) error {
		t.close()
		return nil
	})
	if err := s.Close(); err == nil {
		t.Error("it could still say that it ended")
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func done(tenant string) cellwall.KeptExecution {
	return cellwall.KeptExecution{
		ID: cellwall.NewID(cellwall.PrefixExecution), Identity: cellwall.Identity{Tenant: tenant}, At: noon,
		Status: cellwall.StatusOK, Result: []byte(`{"ok":true}`),
	}
}

func keep(t *testing.T, s *Store, k cellwall.KeptExecution) {
	t.Helper()
	if err := s.KeepExecution(context.Background(), k, []byte(`{}`), nil, Answer{}); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code cellwall.ErrorCode) {
	t.Helper()
	if err == nil || cellwall.CodeOf(err) != code {
		t.Errorf("got %v, want the code %s", err, code)
	}
}

// putDataset stores what r gives as a new dataset.
func (s *Store) putDataset(ctx context.Context, who cellwall.Identity, name string, r io.Reader, most, room int64) (cellwall.KeptDataset, error) {
	held, err := s.HoldDataset(ctx, who, cellwall.NewID(cellwall.PrefixDataset), name, r, most, room)
	if err != nil {
		return held, err
	}
	kept, _, err := s.KeepDataset(ctx, held, room)
	return kept, err
}
