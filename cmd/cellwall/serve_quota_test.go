package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/quota"
)

// makeKey makes a key from the command line's own room, beside a running service.
func makeKey(t *testing.T, s *served, tenant string, scopes ...string) string {
	t.Helper()
	v := keysCreateVerb{Tenant: tenant, Scope: scopes, JSON: true}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := &program{stdout: newScreen(out), stderr: newScreen(os.Stderr), backends: backends()}
	if err := v.Run(t.Context(), p, &config{StateDir: s.state}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out.Name())
	var made keyDocument
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil || !quota.IsKey(made.Key) {
		t.Fatalf("%v: %s", err, text)
	}
	return made.Key
}

// ask sends a request with a key through TCP.
func (s *served) ask(key, method, path, body string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.tcp+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func TestM42_A_service_holds_its_tenants_to_their_terms(t *testing.T) {
	file := settingsFile(t, `
workers = 2
[defaults.ceiling]
timeout = "20s"
[tenants.shop]
concurrency = 1
[tenants.acme]
profile = "default"
[tenants.acme.ceiling]
memory_bytes = "256MiB"
[tenants.acme.budget]
executions = 3
`)
	s := fakeService(t, "--config", file)
	if !strings.Contains(s.said(), "cellwall keys create --tenant NAME") {
		t.Error("the first start does not say how to make a key")
	}
	acme, other, shop := makeKey(t, s, "acme", "execute", "admin"), makeKey(t, s, "other", "execute"), makeKey(t, s, "shop", "execute")
	if status, _, text := s.ask(shop, "GET", "/v1/executions", ""); status != 200 {
		t.Errorf("a key opens nothing when it has just been made: %d %s", status, text)
	}
	gone := makeKey(t, s, "shop", "execute")
	revoke := keysRevokeVerb{Key: gone}
	if err := revoke.Run(t.Context(), &program{stderr: newScreen(os.Stderr)}, &config{StateDir: s.state}); err != nil {
		t.Fatal(err)
	}
	if status, _, text := s.ask(gone, "GET", "/v1/executions", ""); status != 401 {
		t.Errorf("a key opens when it has just been revoked: %d %s", status, text)
	}
	run := func(key, code, more string) (int, http.Header, string) {
		return s.ask(key, "POST", "/v1/executions", fmt.Sprintf(`{"code":%q%s}`, code, more))
	}
	for _, c := range []struct {
		name, key, more string
		status          int
		says            string
	}{
		{"as it likes", acme, "", 200, `"hello"`},
		{"more memory than the ceiling", acme, `,"limits":{"memory_bytes":536870912}`, 403, "memory_bytes"},
		{"less strict", acme, `,"profile":"off"`, 403, "the tenant's own is stricter than off"},
		{"another backend", acme, `,"backend":"vm"`, 403, "backend"},
		{"more time than the service's default", other, `,"limits":{"timeout_ms":30000}`, 403, "timeout"},
		{"less strict, by a tenant whose terms name no profile", other, `,"profile":"off"`, 403, "the tenant's own is stricter than off"},
		{"a tenant without that ceiling", other, `,"limits":{"memory_bytes":536870912}`, 200, `"hello"`},
		{"a key that opens nothing", "e2b_" + strings.Repeat("0", 40), "", 401, "unauthenticated"},
	} {
		if status, _, text := run(c.key, "out hello", c.more); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d and %s", c.name, status, text, c.status, c.says)
		}
	}
	napping := make(chan int, 1)
	go func() { // one of those that are to be turned away may come first, and it is turned away itself
		status := http.StatusTooManyRequests
		for status == http.StatusTooManyRequests {
			status, _, _ = run(shop, "nap 2s", "")
		}
		napping <- status
	}()
	s.await("the concurrency of the tenant is no bound", func() bool {
		status, header, _ := run(shop, "out x", "")
		return status == 429 && header.Get("Retry-After") != ""
	})
	if status, _, text := run(other, "out x", ""); status != 200 {
		t.Errorf("another tenant beside it: %d %s", status, text)
	}
	<-napping
	s.await("the budget is never reached", func() bool {
		status, _, text := run(acme, "out x", "")
		return status == 200 && strings.Contains(text, `"reason":"executions"`) && strings.Contains(text, `"status":"refused"`)
	})
	s.adminOf(acme, other)
}

// adminOf looks at keys and usage as the two tenants see them.
func (s *served) adminOf(acme, other string) {
	s.t.Helper()
	check := func(name, key, method, path, body string, status int, says ...string) string {
		s.t.Helper()
		got, _, text := s.ask(key, method, path, body)
		if got != status || slices.ContainsFunc(says, func(say string) bool { return !strings.Contains(text, say) }) {
			s.t.Errorf("%s: %d %s, want %d and %q", name, got, text, status, says)
		}
		return text
	}
	check("the wrong scope", other, "GET", "/v1/usage", "", 403, "admin")
	check("its usage", acme, "GET", "/v1/usage", "", 200, `"executions":`, `"refused":`)
	if _, header, text := s.ask(acme, "GET", "/v1/usage", "", "Accept", "text/csv"); !strings.HasPrefix(text, "tenant,subject,hour,") || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") {
		s.t.Errorf("as CSV: %s", text)
	}
	check("a time that is none", acme, "GET", "/v1/usage?from=yesterday", "", 422, "from")
	check("a query that is not known", acme, "GET", "/v1/usage?fron=2027-01-31T00:00:00Z", "", 422, "fron")
	check("everybody's", acme, "GET", "/v1/usage?tenant=*", "", 403, "operator")
	check("tenants", acme, "GET", "/v1/admin/tenants", "", 403, "operator")
	var made struct{ ID, Key, Tenant string }
	if err := json.Unmarshal([]byte(check("a key of its own", acme, "POST", "/v1/keys", `{"name":"ci","scopes":["execute"]}`, 201, `"key":"e2b_`)), &made); err != nil {
		s.t.Fatal(err)
	}
	check("its new key", made.Key, "GET", "/v1/executions", "", 200)
	if text := check("its keys", acme, "GET", "/v1/keys", "", 200, made.ID); strings.Contains(text, "e2b_") {
		s.t.Error("a list shows a key")
	}
	check("a key for another", acme, "POST", "/v1/keys", `{"tenant":"`+tenantID("other")+`"}`, 403, "operator")
	check("a key of another kind", acme, "POST", "/v1/keys", `{"scopes":["root"]}`, 422)
	check("it revokes it", acme, "DELETE", "/v1/keys/"+made.ID, "", 204)
	check("it opens nothing", made.Key, "GET", "/v1/executions", "", 401)
	check("itself", acme, "GET", "/v1/admin/tenants/"+made.Tenant, "", 200, `"name":"acme"`, `"memory_bytes":268435456`, `"timeout_ms":20000`)
	theirs := check("another", acme, "GET", "/v1/admin/tenants/"+tenantOf(s, "other"), "", 404)
	none := check("nobody", acme, "GET", "/v1/admin/tenants/"+cellwall.NewID(cellwall.PrefixTenant), "", 404)
	if cut := func(s string) string { return s[:strings.Index(s, "request_id")] }; cut(theirs) != cut(none) {
		s.t.Errorf("another tenant is told from none:\n%s\n%s", theirs, none)
	}
}

// tenantOf asks as the operator, through the socket.
func tenantOf(s *served, name string) string {
	s.t.Helper()
	status, text := call(s.t, s.local(), "GET", "http://local/v1/admin/tenants", "")
	var list struct{ Items []struct{ ID, Name string } }
	if err := json.Unmarshal([]byte(text), &list); err != nil || status != 200 {
		s.t.Fatalf("%d %s", status, text)
	}
	for _, item := range list.Items {
		if item.Name == name {
			return item.ID
		}
	}
	s.t.Fatalf("%s is not there: %s", name, text)
	return ""
}

func TestM42_The_operator_reaches_every_tenant(t *testing.T) {
	s := fakeService(t)
	local := func(method, path, body string) (int, string) {
		return call(t, s.local(), method, "http://local"+path, body)
	}
	status, text := local("POST", "/v1/admin/tenants", `{"name":"acme","terms":{"rate":{"per_second":0.01,"burst":2},"ceiling":{"timeout_ms":5000}}}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != 201 {
		t.Fatalf("%d %s", status, text)
	}
	if status, text := local("POST", "/v1/admin/tenants", `{"name":"acme"}`); status != 409 {
		t.Errorf("twice: %d %s", status, text)
	}
	status, text = local("POST", "/v1/keys", `{"tenant":"`+made.ID+`"}`)
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(text), &key); err != nil || status != 201 {
		t.Fatalf("%d %s", status, text)
	}
	for i, want := range []int{200, 200, 429} {
		status, header, text := s.ask(key.Key, "GET", "/v1/executions", "")
		if status != want || want == 429 && header.Get("Retry-After") == "" {
			t.Errorf("request %d: %d %s", i, status, text)
		}
	}
	if status, text := local("PATCH", "/v1/admin/tenants/"+made.ID, `{"state":"quarantined","reason":"it knocks","terms":{}}`); status != 200 || !strings.Contains(text, "it knocks") {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := s.ask(key.Key, "POST", "/v1/executions", execution("out x")); status != 403 || !strings.Contains(text, "quarantine") {
		t.Errorf("work in quarantine: %d %s", status, text)
	}
	if status, _, text := s.ask(key.Key, "GET", "/v1/executions", ""); status != 200 {
		t.Errorf("reading in quarantine: %d %s", status, text)
	}
	if status, text := local("PATCH", "/v1/admin/tenants/"+made.ID, `{"state":"closed"}`); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := s.ask(key.Key, "GET", "/v1/executions", ""); status != 401 {
		t.Errorf("closed: %d %s", status, text)
	}
	if status, text := local("GET", "/v1/keys?tenant=*", ""); status != 200 || !strings.Contains(text, made.ID) {
		t.Errorf("everybody's keys: %d %s", status, text)
	}
	if status, text := local("PATCH", "/v1/admin/tenants/"+cellwall.NewID(cellwall.PrefixTenant), `{"state":"closed"}`); status != 404 {
		t.Errorf("nobody: %d %s", status, text)
	}
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// TestM42_UploadsAreMetered counts each byte that is kept once, whoever asks again.
func TestM42_UploadsAreMetered(t *testing.T) {
	s := fakeService(t)
	key := makeKey(t, s, "acme", "execute", "admin")
	send := func(want int, method, path, body string, headers ...string) string {
		t.Helper()
		status, _, text := s.ask(key, method, path, body, headers...)
		if status != want {
			t.Fatalf("%s %s: %d %s, want %d", method, path, status, text, want)
		}
		return text
	}
	send(201, "POST", "/v1/datasets", "a,b\n1,2\n", "Content-Type", "text/csv", "Content-Disposition", `attachment; filename="one.csv"`)
	var up struct{ ID string }
	if err := json.Unmarshal([]byte(send(201, "POST", "/v1/uploads", `{"name":"two.csv","size":12}`)), &up); err != nil {
		t.Fatal(err)
	}
	piece := func(want int, offset, body string) {
		t.Helper()
		send(want, "PATCH", "/v1/uploads/"+up.ID, body, "Content-Type", "application/offset+octet-stream", "Upload-Offset", offset)
	}
	piece(204, "0", "a,b\n")
	piece(409, "0", "a,b\n") // again: nothing more is kept
	piece(409, "8", "3,4\n")
	piece(201, "4", "1,2\n3,4\n")
	s.await("not each byte is metered once", func() bool {
		return strings.Contains(send(200, "GET", "/v1/usage", ""), `"bytes":20`)
	})
}
