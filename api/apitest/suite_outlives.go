package apitest

import (
	"bytes"
	"testing"

	"github.com/cellwall/cellwall"
)

// What was answered is there after the service was killed, byte for byte; what ends
// with it, a session, is told to have ended.
func whatWasKeptOutlivesTheService(t *testing.T, s *Service) {
	d := Into[cellwall.Dataset](t, upload(t, s, s.Key, "sales.csv", sales), 201)
	r := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"open('a.txt','w').write('kept')","datasets":["`+d.ID+`"]}`, "Idempotency-Key", "k"), 200)
	rate(t, s, s.Key, r.ID, scored(t, "ann", 4, nil), 201)
	h := hook(t, s, "https://example.com/x")
	Into[alertView](t, s.Call(t, "POST", "/v1/alerts", s.Key, failures), 201)
	k := begin(t, s, `{}`)
	cell := k.cell(t, "x = 1")
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "print('asked before')")
	s.heard(t, s.Key, 4)
	await(t, "what was used is not counted", func() bool { return usageOf(t, s, s.Key, "").of("").Executions >= 3 })
	used := usageOf(t, s, s.Key, "").of("")

	kept := map[string]Answer{}
	for _, path := range []string{
		"/v1/executions", "/v1/executions/" + r.ID, "/v1/executions/" + cell.ID, "/v1/executions/" + r.ID + "/receipt", "/v1/executions/" + r.ID + "/ratings",
		"/v1/receipts/key", "/v1/artifacts/" + r.Artifacts[0].ID, "/v1/datasets/" + d.ID, "/v1/datasets/" + d.ID + "/content", "/v1/approvals/" + w.Approval,
		"/v1/webhooks/" + h.ID, "/v1/alerts", "/v1/keys", "/v1/events?limit=4", "/v1/admin/tenants/" + s.Tenant,
	} {
		if kept[path] = s.Call(t, "GET", path, s.Key, ""); kept[path].Status >= 400 {
			t.Errorf("%s: %d %s", path, kept[path].Status, kept[path].Body)
		}
	}
	s.Restart(t)
	for path, was := range kept {
		if now := s.Call(t, "GET", path, s.Key, ""); now.Status != was.Status || !bytes.Equal(now.Body, was.Body) {
			t.Errorf("%s: %d %s, before %d %s", path, now.Status, now.Body, was.Status, was.Body)
		}
	}
	if now := usageOf(t, s, s.Key, "").of(""); now != used {
		t.Errorf("it has used %+v, before %+v", now, used)
	}
	if got := s.recorded(t, s.Auditor, ""); len(got) < 2 || got[len(got)-1] != r.ID {
		t.Errorf("of records there are those of %q", got)
	}
	if l := Into[List[sessionView]](t, s.Call(t, "GET", "/v1/sessions", s.Key, ""), 200); len(l.Items) != 0 {
		t.Errorf("sessions %+v", l.Items)
	}
	decide(t, s, w.Approval, "approve", "", 200)
	if r := over(t, s, w.ID); r.Stdout.Text != "asked before\n" {
		t.Errorf("%+v", r)
	}
}
