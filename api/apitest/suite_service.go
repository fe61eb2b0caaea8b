package apitest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

func readinessAndTheDocumentAreForEverybody(t *testing.T, s *Service) {
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.Call(t, "GET", path, "", ""); a.Status != 200 || strings.TrimSpace(string(a.Body)) != `{"ok":true}` {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	doc := Into[struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}](t, s.Call(t, "GET", "/openapi.json", "", ""), 200)
	page := s.Call(t, "GET", "/docs", "", "")
	if page.Status != 200 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || bytes.Contains(page.Body, []byte("<script")) {
		t.Errorf("%d %v", page.Status, page.Header)
	}
	for route := range api.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if doc.Paths[path][strings.ToLower(method)] == nil || !bytes.Contains(page.Body, []byte(path)) {
			t.Errorf("%s is not in the document, or not on the page", route)
		}
	}
}

func metricsAreTheOperators(t *testing.T, s *Service) {
	s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	a := s.Call(t, "GET", "/metrics", s.Operator, "")
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	lines := strings.Split(string(a.Body), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, `cellwall_executions_total{cause="none",status="ok"} `) && !strings.HasSuffix(l, " 0")
	}) {
		t.Error("no execution is counted")
	}
	if strings.Contains(string(a.Body), s.Tenant) {
		t.Error("a tenant is named")
	}
	_, theirs := s.newKey(t, s.Second, cellwall.ScopeAudit)
	onlyWithScope(t, s, asking{"GET", "/metrics", ""}, theirs, s.Auditor, s.Key, s.Agent)
}
