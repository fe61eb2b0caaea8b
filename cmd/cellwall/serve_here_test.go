package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/notify"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/store/blob"
)

// here is the API over real rooms and the real wall, in this process.
type here struct {
	*httptest.Server
	t      testing.TB
	house  *house
	kept   *store.Store
	bus    *notify.Bus
	ledger *ledger
	server *api.Server
	keys   *keysHere

	telemetry *service // nil = nobody watches
}

// keysHere are two tenants with a key for each thing that a key can lack.
type keysHere struct {
	who   map[string]cellwall.Identity
	terms map[string]cellwall.Terms
}

func twoTenants() *keysHere {
	return &keysHere{
		who: map[string]cellwall.Identity{
			"e2b_aa": {Tenant: "tnt_a", Key: "key_a", Scopes: cellwall.Scopes()},
			"e2b_bb": {Tenant: "tnt_b", Key: "key_b", Scopes: cellwall.Scopes()},
			"e2b_ae": {Tenant: "tnt_a", Key: "key_ae", Scopes: []string{cellwall.ScopeExecute}},
			"e2b_aw": {Tenant: "tnt_a", Key: "key_aw", Scopes: []string{cellwall.ScopeAudit}},
		},
		terms: map[string]cellwall.Terms{},
	}
}

func (k *keysHere) Authenticate(_ context.Context, key string) (cellwall.Identity, error) {
	if who, ok := k.who[key]; ok {
		return who, nil
	}
	return cellwall.Identity{}, &cellwall.Error{Code: cellwall.CodeUnauthenticated, Op: "check key", Err: errors.New("it opens nothing")}
}

func (k *keysHere) Take(cellwall.Identity) error { return nil }

func (k *keysHere) Tenant(id string) (cellwall.Tenant, error) {
	return cellwall.Tenant{ID: id, State: cellwall.TenantActive, Terms: k.terms[id]}, nil
}

// serveHere wires everything as the service does, with two tenants, and has it
// counted and traced by those of a service that stands for nothing else.
func serveHere(t testing.TB, watched ...*service) *here {
	t.Helper()
	state := t.TempDir()
	linkEnvironments(t, state)
	h := &here{t: t, keys: twoTenants()}
	for _, s := range watched {
		h.telemetry = s
	}
	contents, err := blob.OpenDisk(filepath.Join(state, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	if h.kept, err = store.Open(t.Context(), "sqlite:"+filepath.Join(state, "service.db"), store.Options{Serve: true, Contents: contents}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.kept.Close() })
	records, err := audit.Open(filepath.Join(state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { records.Close() })
	h.ledger = &ledger{store: h.kept, records: records}
	if h.bus, err = openBus(t.Context(), h.kept, notify.Options{AllowPrivate: true, Poll: 50 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.bus.Close() })
	h.house, err = newProgram().openHouse(&config{StateDir: state}, houseOptions{
		backend: defaultBackend, environment: defaultEnvironment, tune: h.tune, ready: h.ready(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.house.Close(); err != nil {
			t.Error(err)
		}
	})
	sessions := &servedSessions{all: h.house.sessions}
	o := api.Options{
		Keys: h.keys, Work: h.house.controller, Recorder: nowhere{}, Spool: state, Sessions: sessions, Executions: h.kept, Once: h.kept, Background: leftBehind{h.ledger, h.bus},
		Events: h.bus, Webhooks: keptWebhooks{h.kept, true}, Alerts: keptAlerts{h.kept, h.bus, func(string) bool { return false }},
		Functions: servedFunctions{h.house},
	}
	if s := h.telemetry; s != nil {
		o.Watch, o.Metrics = s.watch, s.metrics
	}
	if h.server, err = api.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.server.Close() })
	h.Server = httptest.NewServer(h.server)
	t.Cleanup(h.Server.Close)
	return h
}

// nowhere takes the API's own entries: these tests read those of the executions.
type nowhere struct{}

func (nowhere) Append(time.Time, any) error { return nil }

func (h *here) tune(ways *controller.Options, sessions *session.Options, _ *pool.SetOptions) {
	if ways != nil {
		(&kept{Store: h.kept, ledger: h.ledger}).into(ways)
		ways.Recorder = told{ways.Recorder, h.bus}
		if s := h.telemetry; s != nil {
			ways.Trace, ways.Recorder = s.stage, counted{ways.Recorder, s.metrics}
		}
	}
	if sessions != nil {
		sessionTerms(sessions, h.keys.Tenant)
		sessionsTold{h.kept, h.bus, slog.New(slog.DiscardHandler), time.Hour, func() bool { return false }}.tell(sessions)
	}
}

// ready keeps sandboxes ready as a service does, where somebody measures.
func (h *here) ready() int {
	if _, measured := h.t.(*testing.B); measured {
		return 4
	}
	return 0
}

// answered is what came back.
type answered struct {
	*http.Response
	body string
}

// json decodes the body.
func (a answered) json(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
}

// send sends one request with a key and further headers.
func (h *here) send(key, method, path, body string, headers ...string) answered {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := h.Client().Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answered{res, string(text)}
}

// must is send that expects a status.
func (h *here) must(status int, key, method, path, body string, headers ...string) answered {
	h.t.Helper()
	got := h.send(key, method, path, body, headers...)
	if got.StatusCode != status {
		h.t.Fatalf("%s %s: %d %s, want %d", method, path, got.StatusCode, got.body, status)
	}
	return got
}
