package apitest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// record is what the suite looks at of an entry.
type record struct {
	ID, Kind, Code, Status string
	Identity               cellwall.Identity
}

// recorded are the executions that a tenant has records of, read in pages of two.
func (s *Service) recorded(t *testing.T, auditor, query string) (ids []string) {
	t.Helper()
	for after := ""; ; {
		l := Into[List[record]](t, s.Call(t, "GET", "/v1/audit?limit=2"+query+"&after="+after, auditor, ""), 200)
		if len(l.Items) > 2 {
			t.Errorf("a page of %d", len(l.Items))
		}
		for _, r := range l.Items {
			if r.Code != "" {
				ids = append(ids, r.ID)
			}
		}
		if l.Next == nil {
			return ids
		}
		after = *l.Next
	}
}

func recordsAreReadInPagesByAuditors(t *testing.T, s *Service) {
	var want []string
	for _, code := range []string{"1", "{}['x']", "3"} {
		r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": code})), 200)
		want = append([]string{r.ID}, want...)
	}
	if got := s.recorded(t, s.Auditor, ""); !slices.Equal(got, want) {
		t.Errorf("pages have %q, want %q", got, want)
	}
	if got := s.recorded(t, s.Operator, "&tenant="+s.Tenant); !slices.Equal(got, want) {
		t.Errorf("to the operator pages have %q, want %q", got, want)
	}
	a := s.Call(t, "GET", "/v1/audit", s.Auditor, "")
	all := Into[List[json.RawMessage]](t, a, 200)
	at := slices.IndexFunc(all.Items, func(e json.RawMessage) bool { return strings.Contains(string(e), want[1]) })
	if at < 0 {
		t.Fatalf("%s", a.Body)
	}
	var e record
	if err := json.Unmarshal(all.Items[at], &e); err != nil || e.Code != "{}['x']" || e.Status != "error" || e.Identity.Tenant != s.Tenant || e.Identity.Key == "" {
		t.Errorf("%v %s", err, all.Items[at])
	}
	if !strings.Contains(s.Records(t), `"id":"`+e.ID+`"`) {
		t.Errorf("the log has no %s", e.ID)
	}
}

func recordsAreTheirTenants(t *testing.T, s *Service) {
	for range 2 {
		s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	}
	_, theirs := s.newKey(t, s.Second, cellwall.ScopeAudit)
	if got := s.recorded(t, theirs, ""); len(got) != 0 {
		t.Errorf("another tenant reads %q", got)
	}
	l := Into[List[record]](t, s.Call(t, "GET", "/v1/audit?limit=1", s.Auditor, ""), 200)
	if l.Next == nil {
		t.Fatalf("%+v", l)
	}
	DemandProblem(t, "another tenant's cursor", s.Call(t, "GET", "/v1/audit?after="+*l.Next, theirs, ""), 400, "bad_request")
	for name, tenant := range map[string]string{"another tenant": s.Tenant, "a tenant of nobody": cellwall.NewID(cellwall.PrefixTenant)} {
		DemandProblem(t, name, s.Call(t, "GET", "/v1/audit?tenant="+tenant, theirs, ""), 403, "forbidden")
	}
	onlyWithScope(t, s, asking{"GET", "/v1/audit", ""}, s.Key, s.Agent)
}
