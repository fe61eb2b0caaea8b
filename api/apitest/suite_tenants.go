package apitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

type tenantView struct {
	ID, Name, State, Reason string
	Operator                bool
	Terms                   struct{ Concurrency int }
}

func tenantsAreTheOperators(t *testing.T, s *Service) {
	name := strings.ReplaceAll(cellwall.NewID("t"), "_", "-")
	ask := `{"name":"` + name + `","terms":{"concurrency":3}}`
	made := Into[tenantView](t, s.Call(t, "POST", "/v1/admin/tenants", s.Operator, ask, "Idempotency-Key", name), 201)
	if made.Name != name || made.State != "active" || made.Operator || made.Terms.Concurrency != 3 {
		t.Errorf("%+v", made)
	}
	if again := Into[tenantView](t, s.Call(t, "POST", "/v1/admin/tenants", s.Operator, ask, "Idempotency-Key", name), 201); again != made {
		t.Errorf("again under its key: %+v", again)
	}
	DemandProblem(t, "the same name", s.Call(t, "POST", "/v1/admin/tenants", s.Operator, ask), 409, "conflict")
	if l := Into[List[tenantView]](t, s.Call(t, "GET", "/v1/admin/tenants", s.Operator, ""), 200); !slices.Contains(l.Items, made) {
		t.Errorf("it is none of %d", len(l.Items))
	}
	_, key := s.newKey(t, made.ID, cellwall.ScopeExecute, cellwall.ScopeAdmin)
	if own := Into[tenantView](t, s.Call(t, "GET", "/v1/admin/tenants/"+made.ID, key, ""), 200); own != made {
		t.Errorf("to itself it is %+v", own)
	}
	change := func(ask string) tenantView {
		t.Helper()
		changed := Into[tenantView](t, s.Call(t, "PATCH", "/v1/admin/tenants/"+made.ID, s.Operator, ask), 200)
		if kept := Into[tenantView](t, s.Call(t, "GET", "/v1/admin/tenants/"+made.ID, s.Operator, ""), 200); kept != changed {
			t.Errorf("it is kept as %+v", kept)
		}
		return changed
	}
	if c := change(`{"state":"quarantined","reason":"odd, 奇怪"}`); c.State != "quarantined" || c.Reason != "odd, 奇怪" || c.Terms.Concurrency != 3 {
		t.Errorf("%+v", c)
	}
	DemandProblem(t, "quarantined", s.Call(t, "POST", "/v1/executions", key, `{"code":"1"}`), 403, "forbidden")
	if c := change(`{"state":"active","terms":{"concurrency":5}}`); c.State != "active" || c.Reason != "" || c.Terms.Concurrency != 5 {
		t.Errorf("%+v", c)
	}
	if a := s.Call(t, "POST", "/v1/executions", key, `{"code":"1"}`); a.Status != 200 {
		t.Errorf("active again: %d %s", a.Status, a.Body)
	}
	change(`{"state":"closed"}`)
	DemandProblem(t, "closed", s.Call(t, "GET", "/v1/executions", key, ""), 401, "unauthenticated")
	tenantsAreNobodyElses(t, s, made.ID)
}

// tenantsAreNobodyElses: whatever somebody else names, the answer is the same.
func tenantsAreNobodyElses(t *testing.T, s *Service, id string) {
	t.Helper()
	onlyForItsTenant(t, s, s.Tenant, asking{"GET", "/v1/admin/tenants/{id}", ""})
	for _, who := range []string{id, s.Second, cellwall.NewID(cellwall.PrefixTenant)} {
		for _, c := range []asking{
			{"PATCH", "/v1/admin/tenants/" + who, `{"state":"closed"}`}, {"GET", "/v1/admin/tenants", ""}, {"POST", "/v1/admin/tenants", `{"name":"x"}`},
		} {
			DemandProblem(t, c.method+" "+c.path, c.by(t, s, s.Other), 403, "forbidden")
			onlyWithScope(t, s, c, s.Agent, s.Auditor)
		}
	}
	DemandProblem(t, "a tenant that nobody is", s.Call(t, "PATCH", "/v1/admin/tenants/"+cellwall.NewID(cellwall.PrefixTenant), s.Operator, `{}`), 404, "not_found")
}
