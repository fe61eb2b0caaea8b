package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// reach is what a route answers to whom it belongs to; {id} stands for one's own.
// To everybody else it answers as if there were none.
type reach struct {
	own    int      // to the owner
	id     string   // which of the owner's things {id} is; "" = the route has none
	query  string   // behind the path
	body   string   // that is sent
	with   []string // headers besides
	others int      // to another tenant and for an id of nobody; 0 = 404, and of no meaning without id
	open   bool     // it takes no key: whatever key is sent changes nothing
}

const octets = "application/octet-stream"

var mcpHeaders = []string{"Mcp-Session-Id", "{id}", "Accept", "application/json, text/event-stream"}

// reached is the line of one route.
type reached struct {
	route string
	reach
}

// reaches is every route. One without a line fails the test. Those that end
// something come last.
var reaches = []reached{
	{"GET /healthz", reach{own: 200, open: true}},
	{"GET /readyz", reach{own: 200, open: true}},
	{"GET /openapi.json", reach{own: 200, open: true}},
	{"GET /docs", reach{own: 200, open: true}},
	{"GET /v1/artifacts/{id}/content", reach{own: 200, id: "link", open: true, others: 403}},
	{"GET /metrics", reach{own: 403}},

	{"POST /v1/executions", reach{own: 200, body: `{"code":"1"}`}},
	{"GET /v1/executions", reach{own: 200}},
	{"GET /v1/executions/{id}", reach{own: 200, id: "exec"}},
	{"GET /v1/executions/{id}/events", reach{own: 200, id: "exec"}},
	{"GET /v1/executions/{id}/receipt", reach{own: 200, id: "exec"}},
	{"POST /execute", reach{own: 422, body: `{"code":""}`}},
	{"POST /v1/datasets", reach{own: 201, body: "a,b\n1,2\n", with: []string{"Content-Type", octets, "Content-Disposition", `attachment; filename="x.csv"`}}},
	{"GET /v1/datasets", reach{own: 200}},
	{"GET /v1/datasets/{id}", reach{own: 200, id: "ds"}},
	{"GET /v1/datasets/{id}/content", reach{own: 200, id: "ds"}},
	{"POST /v1/datasets/{id}/masked", reach{own: 201, id: "ds", body: `{"columns":{"a":"hide"}}`}},
	{"POST /v1/uploads", reach{own: 201, body: `{"name":"x.csv","size":4}`}},
	{"GET /v1/uploads/{id}", reach{own: 200, id: "up"}},
	{"PATCH /v1/uploads/{id}", reach{own: 204, id: "up", body: "a", with: []string{"Content-Type", "application/offset+octet-stream", "Upload-Offset", "0"}}},
	{"GET /v1/artifacts/{id}", reach{own: 200, id: "art"}},
	{"POST /v1/artifacts/{id}/link", reach{own: 200, id: "art"}},
	{"GET /v1/environments", reach{own: 200}},
	{"POST /v1/sessions", reach{own: 201, body: `{}`}},
	{"GET /v1/sessions", reach{own: 200}},
	{"GET /v1/sessions/{id}", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/executions", reach{own: 200, id: "sess", body: `{"code":"1"}`}},
	{"POST /v1/sessions/{id}/interrupt", reach{own: 202, id: "sess"}},
	{"POST /v1/sessions/{id}/branch", reach{own: 201, id: "sess", body: `{"name":"b"}`}},
	{"POST /v1/sessions/{id}/fork", reach{own: 201, id: "sess"}},
	{"POST /v1/sessions/{id}/rollback", reach{own: 200, id: "sess", body: `{}`}},
	{"GET /v1/sessions/{id}/files", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/files", reach{own: 201, id: "sess", body: "x", with: []string{"Content-Type", octets, "Content-Disposition", `attachment; filename="x.csv"`}}},
	{"PUT /v1/sessions/{id}/files/{name}", reach{own: 201, id: "sess", body: "x", with: []string{"Content-Type", octets}}},
	{"GET /v1/sessions/{id}/files/{name}", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/pause", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/resume", reach{own: 200, id: "sess"}},
	{"GET /v1/tools", reach{own: 200, id: "sess", query: "?session={id}"}},
	{"POST /v1/tools/{name}", reach{own: 200, id: "sess", body: `{"session":"{id}","arguments":{"code":"1","purpose":"x"}}`}},
	{"POST /v1/executions/{id}/calls/{call}", reach{own: 404, id: "exec", body: `{"result":1}`}}, // nothing of it calls any more
	{"POST /v1/executions/{id}/ratings", reach{own: 201, id: "exec", body: `{"rater":"r","correctness":5,"completeness":4,"fluency":3,"attribution":2}`}},
	{"GET /v1/executions/{id}/ratings", reach{own: 200, id: "exec"}},
	{"GET /v1/ratings", reach{own: 200}},
	{"GET /v1/ratings/summary", reach{own: 200}},
	{"GET /v1/approvals", reach{own: 200}},
	{"GET /v1/approvals/{id}", reach{own: 200, id: "apr"}},
	{"POST /v1/approvals/{id}/edit", reach{own: 400, id: "apr", body: `{"code":"1"}`}},
	{"POST /v1/approvals/{id}/approve", reach{own: 200, id: "apr"}},
	{"POST /v1/approvals/{id}/reject", reach{own: 409, id: "apr"}},
	{"POST /mcp", reach{own: 200, id: "mcp", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, with: mcpHeaders}},
	{"GET /mcp", reach{own: 400, id: "mcp", with: []string{"Mcp-Session-Id", "{id}"}}}, // with Accept it would be a stream
	{"GET /v1/events", reach{own: 200}},
	{"POST /v1/webhooks", reach{own: 201, body: `{"url":"https://example.com/"}`}},
	{"GET /v1/webhooks", reach{own: 200}},
	{"GET /v1/webhooks/{id}", reach{own: 200, id: "hook"}},
	{"POST /v1/alerts", reach{own: 201, body: `{"name":"n","measure":"refusals","above":1,"window_s":60}`}},
	{"GET /v1/alerts", reach{own: 200}},
	{"GET /v1/usage", reach{own: 200}},
	{"GET /v1/keys", reach{own: 200}},
	{"POST /v1/keys", reach{own: 201, body: `{"name":"n","scopes":["execute"]}`}},
	{"GET /v1/audit", reach{own: 200}},
	{"GET /v1/admin/tenants", reach{own: 403}},
	{"POST /v1/admin/tenants", reach{own: 403, body: `{"name":"x"}`}},
	{"GET /v1/admin/tenants/{id}", reach{own: 200, id: "tnt"}},
	{"PATCH /v1/admin/tenants/{id}", reach{own: 403, id: "tnt", body: `{}`, others: 403}},
	{"POST /v1/admin/lockdown", reach{own: 403, body: `{"why":"x"}`}},
	{"POST /v1/admin/unlock", reach{own: 403, body: `{"why":"x"}`}},
	{"GET /v1/receipts/key", reach{own: 200}},

	{"DELETE /v1/executions/{id}", reach{own: 409, id: "exec"}}, // it has ended
	{"DELETE /mcp", reach{own: 204, id: "mcp", with: mcpHeaders}},
	{"DELETE /v1/sessions/{id}/files/{name}", reach{own: 204, id: "sess"}},
	{"DELETE /v1/sessions/{id}", reach{own: 204, id: "sess"}},
	{"DELETE /v1/uploads/{id}", reach{own: 204, id: "up"}},
	{"DELETE /v1/datasets/{id}", reach{own: 204, id: "ds"}},
	{"DELETE /v1/webhooks/{id}", reach{own: 204, id: "hook"}},
	{"DELETE /v1/alerts/{id}", reach{own: 204, id: "alrt"}},
	{"DELETE /v1/keys/{id}", reach{own: 204, id: "key"}},
}

// tenants are two of them at a service in a process of its own, with what the
// first one has.
type tenants struct {
	*served
	a, b             string // keys of all scopes
	expired, revoked string // of the first tenant
	execute, auditor string // of the first tenant, for one thing only
	own              map[string]string
	other            string // an artifact of the second tenant
}

// Every route × {own id, another's, a random one, an expired key, a revoked one, a key
// of another scope, none}: what is another's answers as what is nobody's, in status,
// headers and body.
func TestM42_NoTenantReachesAnother(t *testing.T) {
	w := twoServed(t)
	for _, gap := range gaps(w.documented(), reaches) {
		t.Error(gap)
	}
	scopes := api.Routes()
	for _, line := range reaches {
		scope, served := scopes[line.route]
		if !served {
			t.Errorf("%s is not in the table of routes", line.route)
			continue
		}
		delete(scopes, line.route)
		if line.open != (scope == "") {
			t.Errorf("%s needs the scope %q", line.route, scope)
		}
		w.strangers(line.route, line.reach)
		for who, key := range w.without(scope) {
			want := http.StatusUnauthorized
			switch {
			case line.open:
				want = line.own
			case who == "another scope":
				want = http.StatusForbidden
			}
			if got := w.ask(line.route, line.reach, key, w.own[line.id]); got.status != want {
				t.Errorf("%s with %s: %d %.300s", line.route, who, got.status, got.text)
			}
		}
	}
	for route := range scopes {
		t.Errorf("%s has no line in the table", route)
	}
	for _, line := range reaches { // last, since some end what others ask for
		if got := w.ask(line.route, line.reach, w.a, w.own[line.id]); got.status != line.own {
			t.Errorf("%s of one's own: %d %.300s, want %d", line.route, got.status, got.text, line.own)
		}
		if text := w.unlisted(line.route, line.reach); text != "" {
			t.Errorf("%s tells another tenant %s", line.route, text)
		}
	}
}

// strangers asks for what is another's and for what is nobody's.
func (w *tenants) strangers(route string, r reach) {
	w.t.Helper()
	if r.id == "" {
		return
	}
	want := r.others
	if want == 0 {
		want = http.StatusNotFound
	}
	others := w.ask(route, r, w.b, w.own[r.id])
	if r.open { // whoever has a link has it for one thing: what is another's is all the rest
		others = w.ask(route, r, "", w.with(r.id, w.other))
	}
	nobodys := w.ask(route, r, w.b, w.with(r.id, stranger(w.own[r.id])))
	if others.status != want || others != nobodys {
		w.t.Errorf("%s: another's %+v\nnobody's %+v\nwant %d", route, others, nobodys, want)
	}
	if mine := w.ask(route, r, w.a, w.with(r.id, stranger(w.own[r.id]))); mine.status != want || mine.text != nobodys.text {
		w.t.Errorf("%s: to its own tenant an id of nobody is %+v", route, mine)
	}
}

// with puts an id into what stands for {id}: that of a link is followed by its
// signature.
func (w *tenants) with(kind, id string) string {
	if kind != "link" {
		return id
	}
	_, signed, _ := strings.Cut(w.own[kind], "/content?")
	return id + "/content?" + signed
}

// without are keys that do not open a route of this scope.
func (w *tenants) without(scope string) map[string]string {
	wrong := w.auditor
	if scope != cellwall.ScopeExecute {
		wrong = w.execute
	}
	return map[string]string{
		"an expired key": w.expired, "a revoked key": w.revoked, "no key": "", "another scope": wrong,
		"a key that nobody made": "e2b_" + strings.Repeat("0", 40),
	}
}

// unlisted asks a list as the other tenant, who is to see nothing of the first
// one's.
func (w *tenants) unlisted(route string, r reach) string {
	if r.id != "" || !strings.HasPrefix(route, "GET ") {
		return ""
	}
	text := w.ask(route, r, w.b, "").text
	for _, id := range w.own {
		if strings.Contains(text, id) {
			return id
		}
	}
	return ""
}

// seen is an answer as its receiver sees it, but for the moment.
type seen struct {
	status        int
	headers, text string
}

// ask sends a route's request. The id of the call is fixed, so that two answers can
// be compared.
func (w *tenants) ask(route string, r reach, key, id string) seen {
	w.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	if strings.Contains(id, "/content?") {
		path = strings.Replace(path, "/content", "", 1)
	}
	put := strings.NewReplacer("{id}", id, "tools/{name}", "tools/run_python", "{name}", "a.csv", "{call}", "1")
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.tcp+put.Replace(path+r.query), strings.NewReader(put.Replace(r.body)))
	if err != nil {
		w.t.Fatal(err)
	}
	headers := append([]string{"X-Request-Id", "fixed", "Content-Type", "application/json", "X-API-Key", key}, r.with...)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			req.Header.Set(headers[i], put.Replace(headers[i+1]))
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	res.Header.Del("Date")
	return seen{res.StatusCode, fmt.Sprint(res.Header), string(text)} // maps are printed in order
}

// stranger is an id of the same shape that nobody has.
func stranger(id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	return cellwall.NewID(prefix)
}

// twoServed starts a service over the real wall, and has the first tenant make one
// of everything.
func twoServed(t *testing.T) *tenants {
	t.Helper()
	w := &tenants{served: realService(t), own: map[string]string{}}
	w.expired = w.key("a", "execute,admin,audit", "1s").Key
	a := w.key("a", "execute,admin,audit", "")
	w.a, w.own["tnt"] = a.Key, a.TenantID
	w.b = w.key("b", "execute,admin,audit", "").Key
	w.execute = w.key("a", "execute", "").Key
	auditor := w.key("a", "audit", "")
	w.auditor = auditor.Key
	w.own["key"] = w.key("a", "execute", "").ID
	gone := w.key("a", "execute,admin,audit", "")
	w.revoked = gone.Key
	w.await("the service does not learn of keys", func() bool {
		status, _, err := tryCall(http.DefaultClient, "GET", w.tcp+"/v1/executions", "", "X-API-Key", w.b)
		return err == nil && status == 200
	})
	w.make()
	w.hold()
	if got := w.ask("DELETE /v1/keys/{id}", reach{}, w.a, gone.ID); got.status != 204 {
		t.Fatalf("%+v", got)
	}
	w.await("the key does not expire", func() bool {
		status, _, err := tryCall(http.DefaultClient, "GET", w.tcp+"/v1/executions", "", "X-API-Key", w.expired)
		return err == nil && status == 401
	})
	return w
}

// make has the first tenant make one of everything.
func (w *tenants) make() {
	w.t.Helper()
	create := func(route, body string, headers ...string) (made struct {
		ID        string
		Artifacts []struct{ ID string }
	},
	) {
		w.t.Helper()
		got := w.ask(route, reach{body: body, with: headers}, w.a, "")
		if got.status != 200 && got.status != 201 {
			w.t.Fatalf("%s: %+v", route, got)
		}
		if err := json.Unmarshal([]byte(got.text), &made); err != nil {
			w.t.Fatal(err)
		}
		return made
	}
	ran := create("POST /v1/executions", `{"code":"open('a.csv','w').write('x\\n1\\n')"}`)
	if len(ran.Artifacts) != 1 {
		w.t.Fatalf("%+v", ran)
	}
	w.own["exec"], w.own["art"] = ran.ID, ran.Artifacts[0].ID
	w.own["ds"] = create("POST /v1/datasets", "a,b\n1,2\n", "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`).ID
	w.own["up"] = create("POST /v1/uploads", `{"name":"b.csv","size":10}`).ID
	w.own["sess"] = create("POST /v1/sessions", `{}`).ID
	w.own["mcp"] = w.mcp(w.t, mcpHello, "X-API-Key", w.a).Header.Get("Mcp-Session-Id")
	w.own["hook"] = create("POST /v1/webhooks", `{"url":"https://example.com/a"}`).ID
	w.own["alrt"] = create("POST /v1/alerts", `{"name":"n","measure":"refusals","above":1000,"window_s":60}`).ID
	if got := w.ask("PUT /v1/sessions/{id}/files/{name}", reach{body: "x", with: []string{"Content-Type", octets}}, w.a, w.own["sess"]); got.status != 201 {
		w.t.Fatalf("%+v", got)
	}
	var link struct{ URL string }
	got := w.ask("POST /v1/artifacts/{id}/link", reach{}, w.a, w.own["art"])
	if err := json.Unmarshal([]byte(got.text), &link); err != nil {
		w.t.Fatalf("%v: %+v", err, got)
	}
	w.own["link"] = strings.TrimPrefix(link.URL, "/v1/artifacts/")
	got = w.ask("POST /v1/executions", reach{body: `{"code":"open('b.csv','w').write('x\\n2\\n')"}`}, w.b, "")
	if err := json.Unmarshal([]byte(got.text), &ran); err != nil || len(ran.Artifacts) != 1 {
		w.t.Fatalf("%v: %+v", err, got)
	}
	w.other = ran.Artifacts[0].ID
}

// hold has an artifact of the first tenant wait for a person, as its terms say for a
// moment.
func (w *tenants) hold() {
	w.t.Helper()
	terms := func(artifacts string) {
		w.t.Helper()
		if status, text := call(w.t, w.local(), "PATCH", "http://local/v1/admin/tenants/"+w.own["tnt"], `{"terms":{"approval":{"artifacts":`+artifacts+`}}}`); status != 200 {
			w.t.Fatal(status, text)
		}
	}
	terms("true")
	var made struct{ ID string }
	got := w.ask("GET /v1/artifacts/{id}", reach{}, w.a, w.own["art"])
	if err := json.Unmarshal([]byte(got.text), &made); err != nil || got.status != 202 {
		w.t.Fatalf("%v: %+v", err, got)
	}
	w.own["apr"] = made.ID
	terms("false")
}

// key makes a key on the command line.
func (w *tenants) key(tenant, scopes, expires string) (k keyDocument) {
	w.t.Helper()
	args := []string{"keys", "create", "--tenant", tenant, "--scope", scopes, "--json"}
	if expires != "" {
		args = append(args, "--expires", expires)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall", "CELLWALL_STATE_DIR="+w.state)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &k)
	}
	if err != nil {
		w.t.Fatal(fmt.Errorf("make key: %w: %s", err, out))
	}
	return k
}
