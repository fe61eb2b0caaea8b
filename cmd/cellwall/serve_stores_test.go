package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/apitest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// The API is the same whatever keeps it: the suite of package apitest, over
// "cellwall serve" as it is started, on every database with every kind of contents.
func TestM42_TheAPIIsTheSameOnEveryStore(t *testing.T) {
	for _, on := range []struct {
		database, contents func(*testing.T) string
		name               string
		long               bool // a part that the other two leave out only together
	}{
		{ownDatabase, ownFolder, "sqlite and disk", false},
		{postgres, bucket, "postgres and s3", false},
		{ownDatabase, bucket, "sqlite and s3", true},
		{postgres, ownFolder, "postgres and disk", true},
	} {
		t.Run(on.name, func(t *testing.T) {
			if on.long && !testkit.Long() {
				t.Skip("skip, proof: each of its parts runs in the other two; test-all runs them together")
			}
			t.Setenv("CELLWALL_SERVE_WEBHOOKS__ALLOW_PRIVATE", "true")
			args := []string{"--database", on.database(t), "--blobs", on.contents(t), "--config", settingsFile(t, "[tenants.ops]\noperator = true\n")}
			s := realService(t, args...)
			expired := s.newKey(s.newTenant(), time.Now().Add(2*time.Second), cellwall.Scopes()...)
			s.await("the key does not expire", func() bool {
				status, _, err := tryCall(http.DefaultClient, "GET", s.tcp+"/v1/executions", "", "X-API-Key", expired)
				return err == nil && status == http.StatusUnauthorized
			})
			operator := s.newKey(tenantID("ops"), time.Time{}, cellwall.Scopes()...)
			apitest.Whole(t, func(row *testing.T) *apitest.Service {
				a := s.under(row, expired)
				a.Operator = operator
				a.Restart = func(*testing.T) {
					s.end(syscall.SIGKILL)
					s = serveIn(t, "cellwall", s.state, args...).ready()
					a.URL = s.tcp
				}
				return a
			})
		})
	}
}

func ownDatabase(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "service.db") }

func ownFolder(t *testing.T) string { return t.TempDir() }

// postgres is the address of an empty schema of the server that scripts/test.sh
// starts.
func postgres(t *testing.T) string {
	t.Helper()
	server := os.Getenv("CELLWALL_TEST_POSTGRES")
	if server == "" {
		t.Skip("skip, proof: no PostgreSQL server was started on this host, CELLWALL_TEST_POSTGRES is empty")
	}
	conf, err := pgx.ParseConfig(server)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower(cellwall.NewID("t"))
	db := sql.OpenDB(stdlib.GetConnector(*conf))
	if _, err := db.Exec(`CREATE SCHEMA ` + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	t.Cleanup(func() {
		if _, err := db.Exec(`DROP SCHEMA ` + name + ` CASCADE`); err != nil {
			t.Error(err)
		}
	})
	return server + map[bool]string{true: "&", false: "?"}[strings.Contains(server, "?")] + "search_path=" + name
}

// bucket is a part of the bucket that scripts/test.sh makes, which nobody else has.
func bucket(t *testing.T) string {
	t.Helper()
	address := os.Getenv("CELLWALL_TEST_S3")
	if address == "" {
		t.Skip("skip, proof: no S3 server was started on this host, CELLWALL_TEST_S3 is empty")
	}
	place, query, _ := strings.Cut(address, "?")
	return place + "/" + cellwall.NewID("test") + "?" + query
}

// realService starts a service over the real wall, in a state directory of its own.
func realService(t *testing.T, args ...string) *served {
	t.Helper()
	state := shortDir(t)
	linkEnvironments(t, state)
	return serveIn(t, "cellwall", state, args...).ready()
}

// under is the service as two new tenants see it.
func (s *served) under(t *testing.T, expired string) *apitest.Service {
	t.Helper()
	a := &apitest.Service{URL: s.tcp, State: s.state, Tenant: s.newTenant(), Second: s.newTenant(), Expired: expired}
	a.Key = s.newKey(a.Tenant, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAdmin)
	a.Other = s.newKey(a.Second, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAdmin)
	a.Agent = s.newKey(a.Tenant, time.Time{}, cellwall.ScopeExecute)
	a.Auditor = s.newKey(a.Tenant, time.Time{}, cellwall.ScopeAudit)
	a.Hold = func(t testing.TB, terms cellwall.ApprovalTerms) { s.hold(t, a.Tenant, terms) }
	return a
}

// hold changes what of a tenant's waits for a person.
func (s *served) hold(t testing.TB, tenant string, terms cellwall.ApprovalTerms) {
	t.Helper()
	change, err := json.Marshal(map[string]any{"terms": map[string]any{"approval": map[string]any{
		"executions": terms.Executions, "artifacts": terms.Artifacts, "tools": append([]string{}, terms.Tools...),
		"expires_s": int64(terms.Expires / time.Second),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s.operate("PATCH", "/v1/admin/tenants/"+tenant, string(change), 200, new(map[string]any))
}

// newTenant adds one as the operator does, at the socket.
func (s *served) newTenant() string {
	s.t.Helper()
	var made struct{ ID string }
	s.operate("POST", "/v1/admin/tenants", fmt.Sprintf(`{"name":%q}`, strings.ReplaceAll(cellwall.NewID("t"), "_", "-")), 201, &made)
	return made.ID
}

// newKey makes a key; a zero time is never.
func (s *served) newKey(tenant string, expires time.Time, scopes ...string) string {
	s.t.Helper()
	ask := map[string]any{"tenant": tenant, "scopes": scopes}
	if !expires.IsZero() {
		ask["expires_at"] = expires.UTC()
	}
	raw, err := json.Marshal(ask)
	if err != nil {
		s.t.Fatal(err)
	}
	var made struct{ Key string }
	s.operate("POST", "/v1/keys", string(raw), 201, &made)
	return made.Key
}

// operate asks as the service's own user, and decodes what must come.
func (s *served) operate(method, path, body string, want int, into any) {
	s.t.Helper()
	status, text := call(s.t, s.local(), method, "http://local"+path, body)
	if status != want {
		s.t.Fatalf("%s %s: %d %s, want %d", method, path, status, text, want)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		s.t.Fatal(err)
	}
}
