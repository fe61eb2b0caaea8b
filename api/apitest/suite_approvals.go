package apitest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// waits is what is answered of an execution that waits for a person.
type waits struct {
	ID, State string
	Approval  string `json:"approval_id"`
}

// approval is what the suite looks at of one.
type approval struct {
	ID, Kind, State, Code, Purpose, Comment string

	AskedBy   struct{ Key string } `json:"asked_by"`
	DecidedBy struct{ Key string } `json:"decided_by"`
	AskedAt   time.Time            `json:"asked_at"`
	ExpiresAt time.Time            `json:"expires_at"`
	Execution string               `json:"execution_id"`
	Tool      string
	Arguments map[string]any
	MayDecide bool `json:"may_decide"`
	Outcome   *struct {
		OK     bool
		Stage  string
		Result *cellwall.Result
	}
}

// held has the agent ask for code, which waits.
func held(t *testing.T, s *Service, code string, headers ...string) waits {
	t.Helper()
	a := s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": code, "purpose": "to see"}), headers...)
	w := Into[waits](t, a, 202)
	if w.State != "waiting" || !cellwall.ValidID(cellwall.PrefixApproval, w.Approval) || a.Header.Get("Location") != "/v1/executions/"+w.ID {
		t.Fatalf("%v %+v", a.Header, w)
	}
	return w
}

// decide is a word of who administers the tenant.
func decide(t *testing.T, s *Service, id, how, body string, status int) approval {
	t.Helper()
	return Into[approval](t, s.Call(t, "POST", "/v1/approvals/"+id+"/"+how, s.Key, body), status)
}

func approvalOf(t *testing.T, s *Service, key, id string) approval {
	t.Helper()
	return Into[approval](t, s.Call(t, "GET", "/v1/approvals/"+id, key, ""), 200)
}

// over waits for the end of an execution.
func over(t *testing.T, s *Service, id string) (r cellwall.Result) {
	t.Helper()
	await(t, "the execution does not end", func() bool {
		a := s.Call(t, "GET", "/v1/executions/"+id, s.Agent, "")
		if a.Status != 200 {
			return false
		}
		r = Into[cellwall.Result](t, a, 200)
		return true
	})
	return r
}

func codeWaitsForSomebodyElse(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('asked')")
	if now := Into[waits](t, s.Call(t, "GET", "/v1/executions/"+w.ID, s.Agent, ""), 202); now != w {
		t.Errorf("meanwhile it is %+v, want %+v", now, w)
	}
	a := approvalOf(t, s, s.Agent, w.Approval)
	if a.Kind != "execution" || a.State != "waiting" || a.Code != "print('asked')" || a.Purpose != "to see" || a.Execution != w.ID || a.MayDecide {
		t.Errorf("to the one that asked it is %+v", a)
	}
	if life := a.ExpiresAt.Sub(a.AskedAt); life != 24*time.Hour || !cellwall.ValidID(cellwall.PrefixKey, a.AskedBy.Key) {
		t.Errorf("it waits for %s, on behalf of %+v", life, a.AskedBy)
	}
	no := s.Call(t, "POST", "/v1/approvals/"+w.Approval+"/approve", s.Agent, "")
	if p := DemandProblem(t, "the one that asked", no, 403, "forbidden"); !strings.Contains(p.Detail, "whoever asked") || p.Hint == "" {
		t.Errorf("it says %+v", p)
	}
	if !approvalOf(t, s, s.Key, w.Approval).MayDecide {
		t.Error("nobody may decide")
	}
	said := decide(t, s, w.Approval, "approve", `{"comment":"fine, 好"}`, 200)
	if said.State != "approved" || said.Comment != "fine, 好" || said.MayDecide || said.DecidedBy.Key == a.AskedBy.Key || said.DecidedBy.Key == "" {
		t.Errorf("%+v", said)
	}
	if r := over(t, s, w.ID); !r.OK || r.Stdout.Text != "asked\n" {
		t.Errorf("%+v", r)
	}
	for how, body := range map[string]string{"approve": "", "reject": "", "edit": `{"code":"1"}`} {
		again := s.Call(t, "POST", "/v1/approvals/"+w.Approval+"/"+how, s.Key, body)
		DemandProblem(t, how+" what was decided", again, 409, "conflict")
	}
	for _, want := range []string{`"action":"requested"`, `"action":"approved"`, `"approval_id":"` + w.Approval + `"`} {
		if !strings.Contains(s.Records(t), want) {
			t.Errorf("no record of %s", want)
		}
	}
}

func aPersonEditsOrRejects(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('dangerous')")
	if a := decide(t, s, w.Approval, "edit", `{"code":"print('harmless')","comment":"so"}`, 200); a.State != "edited" || a.Code != "print('harmless')" {
		t.Errorf("%+v", a)
	}
	if r := over(t, s, w.ID); r.Stdout.Text != "harmless\n" {
		t.Errorf("%+v", r)
	}
	w = held(t, s, "print('never')")
	if a := decide(t, s, w.Approval, "reject", `{"comment":"not on a Friday"}`, 200); a.State != "rejected" || a.Comment != "not on a Friday" {
		t.Errorf("%+v", a)
	}
	if r := over(t, s, w.ID); r.Status != cellwall.StatusRefused || r.Stdout.Text != "" || !strings.Contains(r.Observation.ErrorMessage, "not on a Friday") {
		t.Errorf("%+v", r)
	}
	rated := s.Call(t, "POST", "/v1/executions/"+held(t, s, "1").ID+"/ratings", s.Agent, scored(t, "ann", 5, nil))
	if p := DemandProblem(t, "a rating of what has not run", rated, 409, "conflict"); !strings.Contains(p.Detail, "not done") {
		t.Errorf("it says %q", p.Detail)
	}
}

func whatNobodyDecidesExpires(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true, Expires: time.Second})
	w := held(t, s, "print('late')")
	if r := over(t, s, w.ID); r.Status != cellwall.StatusRefused || !strings.Contains(r.Observation.ErrorMessage, "in time") {
		t.Errorf("%+v", r)
	}
	if a := approvalOf(t, s, s.Key, w.Approval); a.State != "expired" || a.MayDecide || a.DecidedBy.Key != "" {
		t.Errorf("%+v", a)
	}
	DemandProblem(t, "approved afterwards", s.Call(t, "POST", "/v1/approvals/"+w.Approval+"/approve", s.Key, ""), 409, "conflict")
}

func aKeyedRequestWaitsOnce(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	one := held(t, s, "print('once')", "Idempotency-Key", "k")
	if again := held(t, s, "print('once')", "Idempotency-Key", "k"); again != one {
		t.Errorf("again it is %+v, first it was %+v", again, one)
	}
	if l := Into[List[approval]](t, s.Call(t, "GET", "/v1/approvals", s.Key, ""), 200); len(l.Items) != 1 {
		t.Errorf("%d wait", len(l.Items))
	}
}

func approvalsAreReadInPages(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	var all []string
	for range 5 {
		all = append([]string{held(t, s, "1").Approval}, all...)
	}
	decide(t, s, all[1], "reject", "", 200)
	for query, want := range map[string][]string{
		"":               all,
		"&state=waiting": {all[0], all[2], all[3], all[4]}, "&state=rejected": {all[1]}, "&state=expired": nil, "&state=edited": nil,
	} {
		var got []string
		for after := ""; ; {
			l := Into[List[approval]](t, s.Call(t, "GET", "/v1/approvals?limit=2"+query+"&after="+after, s.Key, ""), 200)
			for _, a := range l.Items {
				got = append(got, a.ID)
			}
			if len(l.Items) > 2 {
				t.Errorf("a page of %d", len(l.Items))
			}
			if l.Next == nil {
				break
			}
			after = *l.Next
			DemandProblem(t, "another tenant's cursor", s.Call(t, "GET", "/v1/approvals?after="+after, s.Other, ""), 400, "bad_request")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: pages have %q, want %q", query, got, want)
		}
	}
	if l := Into[List[approval]](t, s.Call(t, "GET", "/v1/approvals", s.Other, ""), 200); l.Items == nil || len(l.Items) != 0 {
		t.Errorf("another tenant lists %+v", l.Items)
	}
}
