package apitest

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// keysOf are those of a list, by id.
func keysOf(t *testing.T, s *Service, key, query string) (map[string]keyView, Answer) {
	t.Helper()
	a := s.Call(t, "GET", "/v1/keys"+query, key, "")
	all := map[string]keyView{}
	for _, k := range Into[List[keyView]](t, a, 200).Items {
		all[k.ID] = k
	}
	return all, a
}

func aKeyIsShownOnceAndOpensWhatItsScopesSay(t *testing.T, s *Service) {
	ends := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	made := Into[keyView](t, s.Call(t, "POST", "/v1/keys", s.Key, body(t, map[string]any{"name": "bot ü", "expires_at": ends})), 201)
	if made.Tenant != s.Tenant || made.Name != "bot ü" || !slices.Equal(made.Scopes, []string{"execute"}) || made.Expires == nil || !made.Expires.Equal(ends) {
		t.Errorf("%+v", made)
	}
	all, a := keysOf(t, s, s.Key, "")
	if bytes.Contains(a.Body, []byte(made.Key)) || bytes.Contains(a.Body, []byte("e2b_")) {
		t.Errorf("its text is shown again: %s", a.Body)
	}
	if k := all[made.ID]; len(all) != 4 || k.Name != "bot ü" || k.Revoked != nil || k.Expires == nil || !k.Expires.Equal(ends) {
		t.Errorf("%d keys, %+v", len(all), k)
	}
	if a := s.Call(t, "POST", "/v1/executions", made.Key, `{"code":"1"}`); a.Status != 200 {
		t.Errorf("it may not execute: %d %s", a.Status, a.Body)
	}
	onlyWithScope(t, s, asking{"GET", "/v1/keys", ""}, made.Key, s.Agent, s.Auditor)
	if a := s.Call(t, "DELETE", "/v1/keys/"+made.ID, s.Key, ""); a.Status != 204 {
		t.Errorf("revoking it: %d %s", a.Status, a.Body)
	}
	DemandProblem(t, "revoked", s.Call(t, "GET", "/v1/executions", made.Key, ""), 401, "unauthenticated")
	if all, _ := keysOf(t, s, s.Key, ""); all[made.ID].Revoked == nil || len(all) != 4 {
		t.Errorf("revoked it is %+v, of %d", all[made.ID], len(all))
	}
	for _, passed := range []string{"2001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"} {
		DemandProblem(t, "an end that has passed", s.Call(t, "POST", "/v1/keys", s.Key, `{"expires_at":"`+passed+`"}`), 400, "bad_request")
	}
	DemandProblem(t, "another scope", s.Call(t, "POST", "/v1/keys", s.Key, `{"scopes":["operator"]}`), 422, "bad_request")
}

func keysAreTheirTenants(t *testing.T, s *Service) {
	id, text := s.newKey(t, s.Tenant, cellwall.ScopeExecute)
	for _, c := range []asking{{"POST", "/v1/keys", "{}"}, {"GET", "/v1/keys", ""}, {"DELETE", "/v1/keys/{id}", ""}} {
		onlyWithScope(t, s, c.of(id), s.Agent, s.Auditor)
	}
	if all, _ := keysOf(t, s, s.Other, ""); len(all) != 1 || all[id].ID != "" {
		t.Errorf("another tenant lists %+v", all)
	}
	onlyForItsTenant(t, s, id, asking{"DELETE", "/v1/keys/{id}", ""})
	for name, tenant := range map[string]string{"another tenant": s.Tenant, "nobody": cellwall.NewID(cellwall.PrefixTenant), "everybody": "*"} {
		for _, c := range []asking{
			{"GET", "/v1/keys?tenant=" + tenant, ""}, {"DELETE", "/v1/keys/" + id + "?tenant=" + tenant, ""}, {"POST", "/v1/keys", `{"tenant":"` + tenant + `"}`},
		} {
			DemandProblem(t, c.method+" of "+name, c.by(t, s, s.Other), 403, "forbidden")
		}
	}
	if a := s.Call(t, "GET", "/v1/executions", text, ""); a.Status != 200 {
		t.Errorf("afterwards the key opens with %d %s", a.Status, a.Body)
	}
	if all, _ := keysOf(t, s, s.Operator, "?tenant="+s.Second); len(all) != 1 {
		t.Errorf("to the operator it has %d keys", len(all))
	}
	if a := s.Call(t, "DELETE", "/v1/keys/"+id+"?tenant=*", s.Operator, ""); a.Status != 204 {
		t.Errorf("the operator revokes it: %d %s", a.Status, a.Body)
	}
	DemandProblem(t, "revoked by the operator", s.Call(t, "GET", "/v1/executions", text, ""), 401, "unauthenticated")
}
