package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestM31_ATenantsOwnRulesHoldForItAlone has one tenant refuse a text that another
// may write.
func TestM31_ATenantsOwnRulesHoldForItAlone(t *testing.T) {
	s := fakeService(t, "--config", settingsFile(t, `[tenants.acme]
rules = '''{"default": [{"name": "vault", "look": "texts", "for": ["vault://"], "refuse": true, "message": "{term} is not for you", "instead": "the copy"}]}'''
`))
	acme, other := makeKey(t, s, "acme", "execute"), makeKey(t, s, "other", "execute")
	run := func(key string) string {
		t.Helper()
		status, _, text := s.ask(key, "POST", "/v1/executions", `{"code":"out vault://x"}`)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		return text
	}
	if r := s.result(run(acme)); r.Status != "refused" || len(r.Findings) != 1 || r.Findings[0].Rule != "vault" || r.Findings[0].Message != "vault:// is not for you" {
		t.Errorf("its own rule does not hold: %+v", r)
	}
	if r := s.result(run(other)); !r.OK || !strings.Contains(r.Stdout.Text, "vault://x") {
		t.Errorf("another tenant is held to it: %+v", r)
	}
	ask := func(body string) (int, string) {
		return call(t, s.local(), "POST", "http://local/v1/admin/tenants", body, "Content-Type", "application/json")
	}
	for body, want := range map[string]int{
		`{"name":"wrong","terms":{"rules":"{\"default\":[{\"name\":\"a\"}]} x"}}`:   http.StatusBadRequest,
		`{"name":"right","terms":{"rules":"{\"strict\":[{\"name\":\"pickle\"}]}"}}`: http.StatusCreated,
	} {
		if status, text := ask(body); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, text, want)
		}
	}
}
