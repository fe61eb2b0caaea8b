package apitest

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func anArtifactWaitsBeforeItIsHandedOut(t *testing.T, s *Service) {
	one, two := artifactOf(t, s, "a.txt", "secret"), artifactOf(t, s, "b.txt", "secret")
	s.Hold(t, cellwall.ApprovalTerms{Artifacts: true})
	asked := Into[approval](t, s.Call(t, "GET", "/v1/artifacts/"+one.ID, s.Agent, ""), 202)
	again := Into[approval](t, s.Call(t, "GET", "/v1/artifacts/"+one.ID, s.Agent, ""), 202)
	if asked.ID != again.ID || asked.Kind != "artifact" || asked.State != "waiting" {
		t.Errorf("asked twice: %+v, %+v", asked, again)
	}
	DemandProblem(t, "a link", s.Call(t, "POST", "/v1/artifacts/"+one.ID+"/link", s.Agent, ""), 403, "forbidden")
	edit := s.Call(t, "POST", "/v1/approvals/"+asked.ID+"/edit", s.Key, `{"code":"1"}`)
	if p := DemandProblem(t, "edited", edit, 400, "bad_request"); !strings.Contains(p.Detail, "approve or reject") {
		t.Errorf("it says %q", p.Detail)
	}
	onlyForItsTenant(t, s, one.ID, asking{"GET", "/v1/artifacts/{id}", ""}, asking{"POST", "/v1/artifacts/{id}/link", ""})
	decide(t, s, asked.ID, "approve", "", 200)
	if a := s.Call(t, "GET", "/v1/artifacts/"+one.ID, s.Agent, ""); a.Status != 200 || string(a.Body) != "secret" {
		t.Errorf("approved it is %d %s", a.Status, a.Body)
	}
	asked = Into[approval](t, s.Call(t, "GET", "/v1/artifacts/"+two.ID, s.Agent, ""), 202)
	decide(t, s, asked.ID, "reject", "", 200)
	DemandProblem(t, "rejected", s.Call(t, "GET", "/v1/artifacts/"+two.ID, s.Agent, ""), 403, "forbidden")
}

func approvalsAreTheirTenants(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('asked')")
	onlyForItsTenant(t, s, w.Approval,
		asking{"GET", "/v1/approvals", ""},
		asking{"GET", "/v1/approvals/{id}", ""},
		asking{"POST", "/v1/approvals/{id}/approve", ""},
		asking{"POST", "/v1/approvals/{id}/edit", `{"code":"1"}`},
		asking{"POST", "/v1/approvals/{id}/edit", `{}`}, // a mistake tells a stranger no more
		asking{"POST", "/v1/approvals/{id}/reject", `{"comment":"no"}`},
	)
	if a := approvalOf(t, s, s.Key, w.Approval); a.State != "waiting" || a.Code != "print('asked')" {
		t.Errorf("afterwards it is %+v", a)
	}
}

func badDecisionsAreRefusedWithASentence(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('asked')")
	var all []mistake
	for _, m := range []struct {
		name, how, body string
		status          int
		says            string
	}{
		{"half", "approve", `{"comment":"x"`, 400, "JSON"},
		{"two documents", "reject", `{}{}`, 400, "JSON"},
		{"a list", "approve", `[]`, 422, "expected object"},
		{"a number as comment", "approve", `{"comment":1}`, 422, "body.comment"},
		{"a comment without end", "reject", body(t, map[string]any{"comment": strings.Repeat("ä", 2001)}), 422, "body.comment"},
		{"a comment with NUL", "reject", `{"comment":"a\u0000b"}`, 400, "NUL"},
		{"a comment that is no text", "reject", "{\"comment\":\"\xff\"}", 400, "UTF-8"},
		{"an unknown field", "approve", `{"code":"1"}`, 422, "body.code"},
		{"a body without end", "approve", body(t, map[string]any{"comment": strings.Repeat("x", 70_000)}), 413, "bytes"},
		{"an edit of nothing", "edit", ``, 400, "body"},
		{"an edit without anything", "edit", `{}`, 400, "give code, or arguments"},
		{"an edit of both", "edit", `{"code":"1","arguments":{}}`, 400, "give code, or arguments"},
		{"arguments of what takes none", "edit", `{"arguments":{"code":"1"}}`, 400, "give code"},
		{"code as a number", "edit", `{"code":1}`, 422, "body.code"},
		{"code with NUL", "edit", `{"code":"a\u0000"}`, 400, "NUL"},
		{"code without end", "edit", body(t, map[string]any{"code": strings.Repeat("x", 100_001)}), 413, "100000"},
		{"a field in another case", "edit", `{"Code":"1"}`, 422, "Code"},
		{"no such word", "withdraw", ``, 404, "path"},
	} {
		all = append(all, mistake{m.name, "POST", "/v1/approvals/" + w.Approval + "/" + m.how, m.body, m.status, m.says})
	}
	refused(t, s, s.Key, all)
	refused(t, s, s.Key, badQuestionsOfApprovals())
	nul := s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"print(1)\u0000"}`)
	DemandProblem(t, "code with NUL that would wait", nul, 400, "bad_request")
	if a := approvalOf(t, s, s.Key, w.Approval); a.State != "waiting" || a.Code != "print('asked')" {
		t.Errorf("afterwards it is %+v", a)
	}
	if l := Into[List[approval]](t, s.Call(t, "GET", "/v1/approvals", s.Key, ""), 200); len(l.Items) != 1 {
		t.Errorf("afterwards %d wait", len(l.Items))
	}
}

// badQuestionsOfApprovals name none that could be.
func badQuestionsOfApprovals() []mistake {
	return []mistake{
		{"a state that is none", "GET", "/v1/approvals?state=lost", "", 422, "query.state"},
		{"a state twice", "GET", "/v1/approvals?state=waiting&state=edited", "", 422, "query.state"},
		{"a page of none", "GET", "/v1/approvals?limit=0", "", 422, "query.limit"},
		{"a page without end", "GET", "/v1/approvals?limit=201", "", 422, "query.limit"},
		{"a cursor that is none", "GET", "/v1/approvals?after=MTIz.abc", "", 400, "cursor"},
		{"a query that is not known", "GET", "/v1/approvals?stat=waiting", "", 422, "stat"},
		{"of nothing", "GET", "/v1/approvals/apr_x", "", 404, ""},
		{"of NUL", "GET", "/v1/approvals/%00", "", 404, ""},
		{"of no text", "GET", "/v1/approvals/%ff", "", 404, ""},
		{"of an id without end", "GET", "/v1/approvals/" + strings.Repeat("a", 65), "", 422, "path.id"},
		{"of another kind", "POST", "/v1/approvals/" + cellwall.NewID(cellwall.PrefixExecution) + "/approve", "", 404, ""},
		{"of a path", "POST", "/v1/approvals/..%2fapprovals/approve", "", 404, ""},
	}
}
