package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// reach is what a route answers to whom it belongs to; {id} stands for one's own.
// To everybody else it answers as if there were none.
type reach struct {
	own    int      // to the owner
	id     string   // which of the owner's things {id} is; "" = the route has none
	body   string   // that is sent
	with   []string // headers besides
	others int      // to another tenant and for an id of nobody; 0 = 404, and of no meaning without id
}

const octets = "application/octet-stream"

// reaches is every route that needs a key. A route without a line fails the test.
// Those that end something come last.
var reaches = []struct {
	route string
	reach
}{
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
	{"POST /v1/sessions/{id}/rollback", reach{own: 200, id: "sess", body: `{}`}},
	{"GET /v1/sessions/{id}/files", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/files", reach{own: 201, id: "sess", body: "x", with: []string{"Content-Type", octets, "Content-Disposition", `attachment; filename="x.csv"`}}},
	{"PUT /v1/sessions/{id}/files/{name}", reach{own: 201, id: "sess", body: "x", with: []string{"Content-Type", octets}}},
	{"GET /v1/sessions/{id}/files/{name}", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/pause", reach{own: 200, id: "sess"}},
	{"POST /v1/sessions/{id}/resume", reach{own: 200, id: "sess"}},
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
	a, b, expired    string // keys of all scopes
	execute, auditor string // of the first tenant, for one thing only
	own              map[string]string
}

// Every route × {own id, another's, a random one, an expired key, a key of another
// scope, none}: what is another's answers as what is nobody's, to the byte.
func TestM42_NoTenantReachesAnother(t *testing.T) {
	w := twoServed(t)
	scopes := w.scopes()
	for _, line := range reaches {
		scope, served := scopes[line.route]
		if !served {
			t.Errorf("%s is not served", line.route)
			continue
		}
		delete(scopes, line.route)
		wrong := w.auditor
		if scope != cellwall.ScopeExecute {
			wrong = w.execute
		}
		if line.id != "" {
			want := line.others
			if want == 0 {
				want = http.StatusNotFound
			}
			status, others := w.ask(line.route, line.reach, w.b, w.own[line.id])
			again, nobodys := w.ask(line.route, line.reach, w.b, stranger(w.own[line.id]))
			if status != want || again != want || others != nobodys {
				t.Errorf("%s: another's %d %s\nnobody's %d %s\nwant %d", line.route, status, others, again, nobodys, want)
			}
			if again, none := w.ask(line.route, line.reach, w.a, stranger(w.own[line.id])); again != want || none != nobodys {
				t.Errorf("%s: to its own tenant an id of nobody is %d %s", line.route, again, none)
			}
		}
		for _, refused := range []struct {
			who, key string
			want     int
		}{{"an expired key", w.expired, 401}, {"no key", "", 401}, {"a key that nobody made", "e2b_" + strings.Repeat("0", 40), 401}, {"another scope", wrong, 403}} {
			if status, text := w.ask(line.route, line.reach, refused.key, w.own[line.id]); status != refused.want {
				t.Errorf("%s with %s: %d %s", line.route, refused.who, status, text)
			}
		}
	}
	for _, line := range reaches { // last, since some end what others ask for
		status, text := w.ask(line.route, line.reach, w.a, w.own[line.id])
		if status != line.own {
			t.Errorf("%s of one's own: %d %.300s, want %d", line.route, status, text, line.own)
		}
		if text := w.unlisted(line.route, line.reach); text != "" {
			t.Errorf("%s tells another tenant %s", line.route, text)
		}
	}
	delete(scopes, "GET /metrics") // its own test is that of the room that has it
	for route := range scopes {
		t.Errorf("%s has no line in the table", route)
	}
}

// unlisted asks a list as the other tenant, who is to see nothing of the first
// one's.
func (w *tenants) unlisted(route string, r reach) string {
	if r.id != "" || !strings.HasPrefix(route, "GET ") {
		return ""
	}
	_, text := w.ask(route, r, w.b, "")
	for _, id := range w.own {
		if strings.Contains(text, id) {
			return id
		}
	}
	return ""
}

var needsScope = regexp.MustCompile("scope `([a-z]+)`")

// scopes reads from the service's own document which routes need which scope.
func (w *tenants) scopes() map[string]string {
	w.t.Helper()
	_, text := call(w.t, http.DefaultClient, "GET", w.tcp+"/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]struct {
			Description string
			Security    []map[string][]string
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + path
			if at := needsScope.FindStringSubmatch(op.Description); at != nil {
				found[route] = at[1]
			} else if route == "POST /execute" {
				found[route] = cellwall.ScopeExecute
			} else if len(op.Security) > 0 && len(op.Security[0]) > 0 {
				found[route] = cellwall.ScopeAdmin // which one it does not say; not execute
			}
		}
	}
	if len(found) < 30 {
		w.t.Fatalf("the document has %d routes: %v", len(found), found)
	}
	return found
}

// ask sends a route's request. The id of the call is fixed, so that two answers can
// be compared.
func (w *tenants) ask(route string, r reach, key, id string) (int, string) {
	w.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	path = strings.NewReplacer("{id}", id, "{name}", "a.csv").Replace(path)
	headers := append([]string{"X-Request-Id", "fixed"}, r.with...)
	if key != "" {
		headers = append(headers, "X-API-Key", key)
	}
	status, text := call(w.t, http.DefaultClient, method, w.tcp+path, r.body, headers...)
	return status, text
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
	w.await("the service does not learn of keys", func() bool {
		status, _, err := tryCall(http.DefaultClient, "GET", w.tcp+"/v1/executions", "", "X-API-Key", w.b)
		return err == nil && status == 200
	})
	w.make()
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
		status, text := w.ask(route, reach{body: body, with: headers}, w.a, "")
		if status != 200 && status != 201 {
			w.t.Fatalf("%s: %d %s", route, status, text)
		}
		if err := json.Unmarshal([]byte(text), &made); err != nil {
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
	w.own["hook"] = create("POST /v1/webhooks", `{"url":"https://example.com/a"}`).ID
	w.own["alrt"] = create("POST /v1/alerts", `{"name":"n","measure":"refusals","above":1000,"window_s":60}`).ID
	if status, text := w.ask("PUT /v1/sessions/{id}/files/{name}", reach{body: "x", with: []string{"Content-Type", octets}}, w.a, w.own["sess"]); status != 201 {
		w.t.Fatalf("%d %s", status, text)
	}
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
