package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// oneKey is every room that these tests need; two auditors have a key, one of
// them of the operator.
type oneKey struct{}

func (oneKey) Authenticate(_ context.Context, key string) (cellwall.Identity, error) {
	if key == "e2b_audit" {
		return cellwall.Identity{Tenant: "tnt_a", Key: "key_a", Scopes: []string{cellwall.ScopeAudit}}, nil
	}
	if key == "e2b_other" {
		return cellwall.Identity{Tenant: "tnt_b", Key: "key_b", Scopes: []string{cellwall.ScopeAudit}}, nil
	}
	return cellwall.Identity{}, &cellwall.Error{Code: cellwall.CodeUnauthenticated, Op: "check key", Err: errors.New("it opens nothing")}
}
func (oneKey) Take(cellwall.Identity) error { return nil }
func (oneKey) Append(time.Time, any) error  { return nil }
func (oneKey) Ready(context.Context) error  { panic("over") }
func (oneKey) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "cellwall_build_info 1\n")
}

// Tenant says of tnt_a that it is the operator's.
func (oneKey) Tenant(id string) (cellwall.Tenant, error) {
	return cellwall.Tenant{ID: id, Terms: cellwall.Terms{Operator: id == "tnt_a"}}, nil
}

type noWork struct{ Work }

// watching is a server whose calls are noted: began and ended, and its log.
func watching(t *testing.T, format func(*bytes.Buffer) slog.Handler) (server *Server, began *int, ended *[]Call, log *bytes.Buffer) {
	t.Helper()
	began, ended, log = new(int), &[]Call{}, &bytes.Buffer{}
	server, err := New(Options{
		Keys: oneKey{}, Work: noWork{}, Recorder: oneKey{}, Ready: oneKey{}.Ready, Metrics: oneKey{}, Logger: slog.New(format(log)),
		Watch: func(_ http.Header, r *http.Request) (context.Context, func(Call)) {
			*began++
			return r.Context(), func(c Call) { *ended = append(*ended, c) }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, began, ended, log
}

func TestWatch_hears_of_each_call_once_also_of_one_that_panics(t *testing.T) {
	s, began, ended, log := watching(t, func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) })
	for i, c := range []struct {
		method, path, key string
		want              Call
		line              string // "" = none at this level
	}{
		{"GET", "/healthz", "", Call{Route: "/healthz", Method: "GET", Status: 200}, ""},
		{"GET", "/metrics", "e2b_audit", Call{Route: "/metrics", Method: "GET", Status: 200, Tenant: "tnt_a"}, ""},
		{"GET", "/metrics", "e2b_other", Call{Route: "/metrics", Method: "GET", Status: 403, Tenant: "tnt_b"}, `method=GET route=metrics tenant=tnt_b status=403`},
		{"GET", "/metrics", "", Call{Route: "/metrics", Method: "GET", Status: 401}, `method=GET route=metrics tenant="" status=401`},
		{"GET", "/readyz", "", Call{Route: "/readyz", Method: "GET", Status: 500}, `method=GET route=ready tenant="" status=500`},
		{"GET", "/secret-path", "", Call{Method: "GET", Status: 404}, `method="" route=none tenant="" status=404`},
		{"SECRET", "/healthz", "", Call{Method: "SECRET", Status: 405}, `method="" route=none tenant="" status=405`},
		{"POST", "/v1/executions", "e2b_audit", Call{Route: "/v1/executions", Method: "POST", Status: 403, Tenant: "tnt_a"}, `method=POST route=createExecution tenant=tnt_a status=403`},
	} {
		log.Reset()
		r := httptest.NewRequest(c.method, c.path+"?q=secret", strings.NewReader(""))
		r.Header.Set("X-Request-Id", "call-7")
		if c.key != "" {
			r.Header.Set("X-API-Key", c.key)
		}
		s.ServeHTTP(httptest.NewRecorder(), r)
		if *began != i+1 || len(*ended) != i+1 {
			t.Fatalf("%s %s: %d began, %d ended", c.method, c.path, *began, len(*ended))
		}
		got := (*ended)[i]
		if got.Took <= 0 || got.ID != "call-7" {
			t.Errorf("%s %s: %+v", c.method, c.path, got)
		}
		if got.Took, got.ID = 0, ""; got != c.want {
			t.Errorf("%s %s: %+v, want %+v", c.method, c.path, got, c.want)
		}
		lines := strings.Count(log.String(), "msg=call ")
		if c.line == "" && lines != 0 || c.line != "" && (lines != 1 || !strings.Contains(log.String(), "msg=call request_id=call-7 "+c.line+" took=")) {
			t.Errorf("%s %s: logged %s", c.method, c.path, log)
		}
		if strings.Contains(strings.ToLower(log.String()), "secret") {
			t.Errorf("the log holds what a client wrote: %s", log)
		}
	}
}
