package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/quota"
)

func TestM34_WhoKeepsHittingTheWallIsQuarantinedUntilAnOperatorHasLooked(t *testing.T) {
	file := settingsFile(t, "[quarantine]\nhits = 3\n")
	s := fakeService(t, "--config", file)
	key, other := makeKey(t, s, "acme", "execute", "admin"), makeKey(t, s, "calm", "execute")
	run := func(key, code string) (int, string) {
		status, _, text := s.ask(key, "POST", "/v1/executions", execution(code))
		return status, text
	}
	for range 3 {
		if status, text := run(key, "end crashed signal:SIGSEGV"); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, text := run(key, "out x"); status != 403 || !strings.Contains(text, "quarantine") {
		t.Errorf("at once: %d %s", status, text)
	}
	s.await("the tenant is not told", func() bool {
		_, data := s.told(key, quota.KindQuarantined)
		return strings.Contains(data, "3 executions hit the wall")
	})
	if status, _, text := s.ask(key, "GET", "/v1/executions", ""); status != 200 {
		t.Errorf("reading: %d %s", status, text)
	}
	if status, text := run(other, "out x"); status != 200 {
		t.Errorf("another tenant: %d %s", status, text)
	}
	id := tenantCalled(t, s, "acme")
	if status, text := call(t, s.local(), "PATCH", "http://local/v1/admin/tenants/"+id, `{"state":"active","reason":"it was a test"}`); status != 200 {
		t.Fatalf("the operator lifts it: %d %s", status, text)
	}
	if status, text := run(key, "out x"); status != 200 {
		t.Errorf("afterwards: %d %s", status, text)
	}
	s.await("the release is not told", func() bool {
		kinds, _ := s.told(key, "")
		return slices.Contains(kinds, quota.KindReleased)
	})
}

// tenantCalled finds the id of a tenant.
func tenantCalled(t *testing.T, s *served, name string) string {
	t.Helper()
	_, text := call(t, s.local(), "GET", "http://local/v1/admin/tenants", "")
	_, rest, found := strings.Cut(text, `"name":"`+name+`"`)
	head := text[:len(text)-len(rest)]
	at := strings.LastIndex(head, `"id":"`)
	if !found || at < 0 {
		t.Fatalf("no tenant %s in %s", name, text)
	}
	id, _, _ := strings.Cut(head[at+6:], `"`)
	return id
}
