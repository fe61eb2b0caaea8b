package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// leaks is what no answer to a mistake may hold: a place of this host, of its
// source, or a stack.
var leaks = regexp.MustCompile(`/var/|/tmp/|/root|/home/|\.go:\d|goroutine |runtime\.|panic|0x[0-9a-f]{6}|SQL|sqlite|postgres`)

// demandProblem holds an answer to what every refusal promises.
func DemandProblem(t *testing.T, name string, a Answer, status int, code cellwall.ErrorCode) api.Problem {
	t.Helper()
	var p api.Problem
	if a.Status != status {
		t.Errorf("%s: status %d, want %d: %s", name, a.Status, status, a.Body)
		return p
	}
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("%s: Content-Type %s: %s", name, got, a.Body)
	}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Errorf("%s: %v: %s", name, err, a.Body)
		return p
	}
	if p.Code != code || p.Status != status || p.Type != "urn:cellwall:"+string(code) || p.Title == "" || p.Call == "" || p.Call != a.Header.Get("X-Request-Id") {
		t.Errorf("%s: %+v, want code %s", name, p, code)
	}
	if p.Detail == "" && code != cellwall.CodeInternal {
		t.Errorf("%s: no sentence: %s", name, a.Body)
	}
	if found := leaks.Find(bytes.ReplaceAll(a.Body, []byte(p.Call), nil)); found != nil {
		t.Errorf("%s: the answer holds %q: %s", name, found, a.Body)
	}
	return p
}

func jsonIsRefusedWithASentence(t *testing.T, s *Service) {
	deep := strings.Repeat("[", 100_000)
	for _, test := range []struct {
		name, body string
		status     int
		code       cellwall.ErrorCode
		says       string
	}{
		{"nothing", ``, 400, "bad_request", "JSON"},
		{"half", `{"code":"1"`, 400, "bad_request", "JSON"},
		{"no JSON", `code=1`, 400, "bad_request", "JSON"},
		{"two documents", `{"code":"1"}{"code":"2"}`, 400, "bad_request", "JSON"},
		{"a list", `[]`, 422, "bad_request", "expected object"},
		{"null", `null`, 422, "bad_request", "expected object"},
		{"too deep", deep, 400, "bad_request", ""},
		{"no UTF-8", "{\"code\":\"\xff\"}", 400, "bad_request", "UTF-8"},
		{"no code", `{}`, 422, "bad_request", "code"},
		{"empty code", `{"code":""}`, 422, "bad_request", "code"},
		{"a number as code", `{"code":1}`, 422, "bad_request", "body.code: expected string"},
		{"an unknown field", `{"code":"1","timeout":3}`, 422, "bad_request", "body.timeout: unexpected property"},
		{"a field in another case", `{"Code":"1"}`, 422, "bad_request", "Code"},
		{"an unknown limit", `{"code":"1","limits":{"seconds":3}}`, 422, "bad_request", "limits.seconds"},
		{"a limit of another type", `{"code":"1","limits":{"timeout_ms":"3s"}}`, 422, "bad_request", "timeout_ms"},
		{"a limit below", `{"code":"1","limits":{"timeout_ms":-1}}`, 422, "bad_request", "timeout_ms"},
		{"a limit beyond", `{"code":"1","limits":{"memory_bytes":1e18}}`, 422, "bad_request", "memory_bytes"},
		{"a limit that overflows", `{"code":"1","limits":{"timeout_ms":1e400}}`, 400, "bad_request", ""},
		{"a broken number", `{"code":"1","limits":{"timeout_ms":3.5}}`, 422, "bad_request", "timeout_ms"},
		{"a profile that is none", `{"code":"1","profile":"lax"}`, 422, "bad_request", "profile"},
		{"a dataset that is not there", `{"code":"1","datasets":["ds_aaaaaaaaaaaaaaaaaaaaaaaaaa"]}`, 404, "not_found", ""},
		{"a dataset with a path", `{"code":"1","datasets":["../../etc/passwd"]}`, 404, "not_found", ""},
		{"an environment that is none", `{"code":"1","environment":"../x"}`, 404, "environment_missing", ""},
		{"metadata that is no text", `{"code":"1","metadata":{"a":1}}`, 422, "bad_request", "metadata"},
		{"metadata without end", fmt.Sprintf(`{"code":"1","metadata":{"a":%q}}`, strings.Repeat("x", 600)), 400, "bad_request", "metadata"},
		{"code without end", fmt.Sprintf(`{"code":%q}`, strings.Repeat("x", 100_001)), 413, "too_large", "100000"},
		{"a body without end", fmt.Sprintf(`{"code":%q}`, strings.Repeat("x", 2<<20)), 413, "too_large", "bytes"},
		{"more datasets than there may be", fmt.Sprintf(`{"code":"1","datasets":["a"%s]}`, strings.Repeat(`,"a"`, 64)), 422, "bad_request", "datasets"},
	} {
		p := DemandProblem(t, test.name, s.Call(t, "POST", "/v1/executions", s.Key, test.body), test.status, test.code)
		if !strings.Contains(p.Detail, test.says) || len(p.Detail) > 2500 {
			t.Errorf("%s: says %q, want something of %q", test.name, p.Detail, test.says)
		}
	}
	if n := strings.Count(s.Records(t), `"status":"ok"`); n != 0 {
		t.Errorf("%d of the mistakes ran", n)
	}
}

func aroundTheBody(t *testing.T, s *Service) {
	const good = `{"code":"1"}`
	for _, test := range []struct {
		name, method, path, key, body string
		headers                       []string
		status                        int
		code                          cellwall.ErrorCode
	}{
		{"no key", "POST", "/v1/executions", "", good, nil, 401, "unauthenticated"},
		{"a wrong key", "POST", "/v1/executions", "e2b_0000000000000000000000000000000000000000", good, nil, 401, "unauthenticated"},
		{"a key without end", "POST", "/v1/executions", strings.Repeat("e", 8000), good, nil, 401, "unauthenticated"},
		{"an expired key", "POST", "/v1/executions", s.Expired, good, nil, 401, "unauthenticated"},
		{"another scheme", "GET", "/v1/executions", "", "", []string{"Authorization", "Basic " + s.Key}, 401, "unauthenticated"},
		{"two keys", "GET", "/v1/executions", s.Key, "", []string{"Authorization", "Bearer " + s.Other}, 400, "bad_request"},
		{"a scope that is missing", "POST", "/v1/executions", s.Auditor, good, nil, 403, "forbidden"},
		{"a subject without end", "GET", "/v1/executions", s.Key, "", []string{"X-Cellwall-Subject", strings.Repeat("s", 129)}, 400, "bad_request"},
		{"a subject that is no text", "POST", "/v1/executions", s.Key, good, []string{"X-Cellwall-Subject", "ann\xff"}, 400, "bad_request"},
		{"a key of use once without end", "POST", "/v1/executions", s.Key, good, []string{"Idempotency-Key", strings.Repeat("s", 256)}, 400, "bad_request"},
		{"another media type", "POST", "/v1/executions", s.Key, good, []string{"Content-Type", "text/plain"}, 415, "bad_request"},
		{"a media type that is none", "POST", "/v1/executions", s.Key, good, []string{"Content-Type", "/;="}, 415, "bad_request"},
		{"a form without boundary", "POST", "/v1/executions", s.Key, good, []string{"Content-Type", "multipart/form-data"}, 400, "bad_request"},
		{"a form that is none", "POST", "/v1/executions", s.Key, good, []string{"Content-Type", "multipart/form-data; boundary=x"}, 400, "bad_request"},
		{"no such path", "GET", "/v1/nothing", s.Key, "", nil, 404, "not_found"},
		{"no such method", "DELETE", "/v1/executions", s.Key, "", nil, 405, "bad_request"},
		{"a method of its own", "BREW", "/v1/executions", s.Key, "", nil, 405, "bad_request"},
		{"a query that is not known", "GET", "/v1/executions?limi=3", s.Key, "", nil, 422, "bad_request"},
		{"a page without end", "GET", "/v1/executions?limit=201", s.Key, "", nil, 422, "bad_request"},
		{"a page of none", "GET", "/v1/executions?limit=0", s.Key, "", nil, 422, "bad_request"},
		{"a page of words", "GET", "/v1/executions?limit=many", s.Key, "", nil, 422, "bad_request"},
		{"a cursor that is none", "GET", "/v1/executions?after=MTIz.abc", s.Key, "", nil, 400, "bad_request"},
		{"a page twice", "GET", "/v1/executions?limit=1&limit=2", s.Key, "", nil, 422, "bad_request"},
		{"a query that is damaged", "GET", "/v1/executions?limit=%zz", s.Key, "", nil, 400, "bad_request"},
		{"a query of two kinds", "GET", "/v1/executions?limit=1;after=x", s.Key, "", nil, 400, "bad_request"},
		{"a query that is no text", "GET", "/v1/executions?after=%ff", s.Key, "", nil, 400, "bad_request"},
		{"a query with NUL", "GET", "/v1/executions?after=%00", s.Key, "", nil, 400, "bad_request"},
		{"a query where none is taken", "POST", "/v1/executions?timeout_ms=3", s.Key, good, nil, 422, "bad_request"},
		{"an event that is none", "GET", "/v1/executions/exec_x/events", s.Key, "", []string{"Last-Event-ID", "-1"}, 400, "bad_request"},
		{"a dataset without a file", "POST", "/v1/datasets", s.Key, "", []string{"Content-Type", "text/csv"}, 400, "bad_request"},
		{"a form with another part", "POST", "/v1/datasets", s.Key, "--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n1\r\n--x--\r\n", []string{"Content-Type", "multipart/form-data; boundary=x"}, 400, "bad_request"},
		{"a form that ends early", "POST", "/v1/datasets", s.Key, "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n1", []string{"Content-Type", "multipart/form-data; boundary=x"}, 400, "bad_request"},
		{"a dataset that nobody can read", "POST", "/v1/datasets", s.Key, "\x00\x01\x02", []string{"Content-Type", "application/octet-stream", "Content-Disposition", "attachment; filename=a.parquet"}, 422, "dataset_unreadable"},
	} {
		p := DemandProblem(t, test.name, s.Call(t, test.method, test.path, test.key, test.body, test.headers...), test.status, test.code)
		if test.key != "" && len(test.key) > 10 && strings.Contains(p.Detail+p.Hint, test.key) {
			t.Errorf("%s: the answer repeats the key", test.name)
		}
	}
}

func pathsDoNotLeadElsewhere(t *testing.T, s *Service) {
	for _, path := range []string{
		"/v1/../healthz", "/v1/./executions", "//v1/executions", "/v1//executions", "/v1/executions/", "/v1/executions/..",
		"/v1/executions/%2e%2e/%2e%2e/healthz", "/v1/artifacts/..%2f..%2fetc%2fpasswd", "/v1/executions/%00", "/v1/executions/%ff", "/v1/executions/exec_%0a%0d",
		"/v1/datasets/" + strings.Repeat("a", 3000), "/V1/executions", "/v1/executions;x=1", "/v1/executions/exec_ａ",
	} {
		a := s.Call(t, "GET", path, s.Key, "")
		if a.Status != 404 && a.Status != 422 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
			continue
		}
		DemandProblem(t, path, a, a.Status, map[int]cellwall.ErrorCode{404: "not_found", 422: "bad_request"}[a.Status])
	}
}

func headersCannotBeInjected(t *testing.T, s *Service) {
	for _, id := range []string{"a b", strings.Repeat("a", 65), "é", "<script>", "a;b", "a\tb"} {
		a := s.Call(t, "GET", "/healthz", "", "", "X-Request-Id", id)
		if got := a.Header.Get("X-Request-Id"); got == id || !strings.HasPrefix(got, "req_") {
			t.Errorf("a call named %q goes on as %q", id, got)
		}
	}
	raw := rawCall(t, s, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\rSet-Cookie: b\r\nConnection: close\r\n\r\n")
	if strings.Contains(raw, "Set-Cookie") {
		t.Errorf("a header came back: %s", raw)
	}
	for name, request := range map[string]string{
		"two lengths":       "POST /v1/executions HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
		"length and chunks": "POST /v1/executions HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked, identity\r\n\r\nabc",
		"no host":           "GET /healthz HTTP/1.1\r\n\r\n",
		"a bare line feed":  "GET /healthz HTTP/1.1\r\nHost: x\nX-Api-Key : y\r\n\r\n",
		"headers no end":    "GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 64<<10) + "\r\n\r\n",
		"no HTTP":           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		got := rawCall(t, s, request)
		status, _, _ := strings.Cut(got, "\r\n")
		if !regexp.MustCompile(`^HTTP/1\.[01] (4\d\d|501) `).MatchString(status) || leaks.MatchString(got) {
			t.Errorf("%s: answered with %q", name, got)
		}
	}
}
