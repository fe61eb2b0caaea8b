package apitest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

func nothingBeginsWhileThereIsALockdown(t *testing.T, s *Service) {
	suspect := "mark_" + s.Tenant
	before := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": suspect + " = 1"})), 200)
	k := begin(t, s, `{}`)
	k.cell(t, "x = 1")
	for _, c := range []asking{{"POST", "/v1/admin/lockdown", `{"why":"x"}`}, {"POST", "/v1/admin/unlock", `{"why":"x"}`}} {
		onlyWithScope(t, s, c, s.Key, s.Other, s.Agent, s.Auditor)
	}
	why := body(t, map[string]any{"why": "a test, 测试", "pattern": suspect})
	l := Into[api.Lockdown](t, s.Call(t, "POST", "/v1/admin/lockdown", s.Operator, why), 200)
	defer s.Call(t, "POST", "/v1/admin/unlock", s.Operator, `{"why":"the test is over"}`) // whatever became of it
	at := slices.IndexFunc(l.Tenants, func(a api.LockdownAffected) bool { return a.Tenant == s.Tenant })
	calm := !slices.ContainsFunc(l.Tenants, func(a api.LockdownAffected) bool { return a.Tenant == s.Second })
	if l.Why != "a test, 测试" || at < 0 || l.Tenants[at].Suspect != 1 || !calm {
		t.Errorf("%+v", l)
	}
	if a := s.Call(t, "POST", "/v1/admin/lockdown", s.Operator, why); Into[api.Problem](t, a, 409).Code != cellwall.CodeConflict {
		t.Errorf("a second one: %s", a.Body)
	}
	for _, c := range []asking{
		{"POST", "/v1/executions", `{"code":"1"}`},
		{"POST", "/v1/sessions", `{}`},
		{"POST", k.path + "/executions", `{"code":"1"}`},
		{"POST", k.path + "/resume", ""},
		{"DELETE", k.path, ""},
	} {
		DemandProblem(t, c.method+" "+c.path, c.by(t, s, s.Key), 503, "locked_down")
	}
	if a := s.Call(t, "GET", "/v1/executions/"+before.ID, s.Key, ""); a.Status != 200 {
		t.Errorf("reading: %d %s", a.Status, a.Body)
	}
	if v := k.view(t); v.State != "paused" {
		t.Errorf("the session is %s", v.State)
	}
	Into[api.Lockdown](t, s.Call(t, "POST", "/v1/admin/unlock", s.Operator, `{"why":"seen"}`), 200)
	k.do(t, 200, "resume", "")
	k.says(t, "print(x)", "1\n")
	if r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, body(t, map[string]any{"code": suspect + " = 2"})), 200); r.Status != cellwall.StatusRefused {
		t.Errorf("code of the pattern is %s afterwards", r.Status)
	}
	for who, want := range map[string][]string{s.Key: {"lockdown.begun", "lockdown.ended"}, s.Other: nil} {
		await(t, "who is concerned is not told", func() bool { return slices.Equal(lockdownsTold(t, s, who), want) })
	}
}

// lockdownsTold are the kinds of what a tenant hears of lockdowns.
func lockdownsTold(t *testing.T, s *Service, key string) (kinds []string) {
	t.Helper()
	for _, e := range Into[happened](t, s.Call(t, "GET", "/v1/events", key, ""), 200).Items {
		if e.Kind == "lockdown.begun" || e.Kind == "lockdown.ended" {
			kinds = append(kinds, e.Kind)
			if !json.Valid(e.Data) {
				t.Errorf("%s", e.Data)
			}
		}
	}
	return kinds
}
