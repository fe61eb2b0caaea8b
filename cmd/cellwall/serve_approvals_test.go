package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// desked is a tenant whose work waits for a person: an agent's key, a person's, and
// that of who administers it.
type desked struct {
	*served
	agent, person, admin string
}

// waitingService is a service whose tenant acme has these terms for approvals.
func waitingService(t *testing.T, terms string) *desked {
	t.Helper()
	s := fakeService(t, "--config", settingsFile(t, "[tenants.acme.approval]\n"+terms+"\n"))
	d := &desked{served: s}
	acme := tenantID("acme")
	d.agent = s.newKey(acme, time.Time{}, cellwall.ScopeExecute)
	d.person = s.newKey(acme, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAudit)
	d.admin = s.newKey(acme, time.Time{}, cellwall.Scopes()...)
	return d
}

// as asks with a key, and decodes what must come.
func (d *desked) as(key, method, path, body string, want int, into any, headers ...string) string {
	d.t.Helper()
	status, text := call(d.t, http.DefaultClient, method, d.tcp+path, body, append([]string{"X-API-Key", key}, headers...)...)
	if status != want {
		d.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, status, text, want)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			d.t.Fatalf("%v: %s", err, text)
		}
	}
	return text
}

// waits is an execution that waits.
type waits struct {
	ID       string
	State    string
	Approval string `json:"approval_id"`
}

// ask has the agent ask for code.
func (d *desked) ask(path, code string) (w waits) {
	d.t.Helper()
	d.as(d.agent, "POST", path, execution(code), 202, &w)
	if w.State != "waiting" || !cellwall.ValidID(cellwall.PrefixApproval, w.Approval) {
		d.t.Fatalf("%+v", w)
	}
	return w
}

// over waits for the end of an execution.
func (d *desked) over(id string) (r cellwall.Result) {
	d.t.Helper()
	d.await("the execution does not end", func() bool {
		status, text, err := tryCall(http.DefaultClient, "GET", d.tcp+"/v1/executions/"+id, "", "X-API-Key", d.agent)
		return err == nil && status == 200 && json.Unmarshal([]byte(text), &r) == nil && r.ID != ""
	})
	return r
}

// heard is the kinds of events of the tenant.
func (d *desked) heard() (kinds []string) {
	d.t.Helper()
	var list struct{ Items []struct{ Kind string } }
	d.as(d.agent, "GET", "/v1/events", "", 200, &list)
	for _, e := range list.Items {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func TestM53_CodeWaitsForAPersonWhoIsNotTheOneThatAsked(t *testing.T) {
	d := waitingService(t, "executions = true")
	w := d.ask("/v1/executions", "out hello")
	var now waits
	d.as(d.agent, "GET", "/v1/executions/"+w.ID, "", 202, &now)
	if now != w {
		t.Errorf("meanwhile: %+v, want %+v", now, w)
	}
	var a struct {
		State, Code string
		May         bool `json:"may_decide"`
	}
	d.as(d.agent, "GET", "/v1/approvals/"+w.Approval, "", 200, &a)
	if a.State != "waiting" || a.Code != "out hello" || a.May {
		t.Errorf("to the one that asked: %+v", a)
	}
	text := d.as(d.agent, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 403, nil)
	if !strings.Contains(text, "whoever asked does not decide") {
		t.Error(text)
	}
	var list struct{ Items []struct{ ID string } }
	d.as(d.person, "GET", "/v1/approvals?state=waiting", "", 200, &list)
	if len(list.Items) != 1 || list.Items[0].ID != w.Approval {
		t.Errorf("%+v", list)
	}
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/approve", `{"comment":"fine"}`, 200, &a)
	if r := d.over(w.ID); !r.OK || r.Stdout.Text != "hello" {
		t.Errorf("%+v", r)
	}
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/reject", "", 409, nil)
	if got := d.heard(); !slices.Equal(got, []string{"approval.requested", "approval.decided", "execution.done"}) {
		t.Errorf("%q", got)
	}
	said := d.as(d.person, "GET", "/v1/audit?limit=50", "", 200, nil)
	for _, want := range []string{`"action":"requested"`, `"action":"approved"`, `"comment":"fine"`, `"code":"out hello"`, `"approval_id":"` + w.Approval + `"`} {
		if !strings.Contains(said, want) || !strings.Contains(d.records(), want) {
			t.Errorf("no record of %s: %s", want, said)
		}
	}
	var own struct{ Items []struct{ ID string } }
	d.as(d.admin, "GET", "/v1/keys", "", 200, &own)
	w = waits{}
	d.as(d.admin, "POST", "/v1/executions", execution("out admin"), 202, &w)
	d.as(d.admin, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 200, nil)
	if r := d.over(w.ID); r.Stdout.Text != "admin" {
		t.Errorf("who administers the tenant decides of their own: %+v", r)
	}
}

func TestM53_APersonEditsOrRejects(t *testing.T) {
	d := waitingService(t, "executions = true")
	w := d.ask("/v1/executions", "out dangerous")
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/edit", `{}`, 400, nil)
	var a struct {
		State, Code string
		By          struct{ Key string } `json:"decided_by"`
	}
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/edit", `{"code":"out harmless"}`, 200, &a)
	if r := d.over(w.ID); r.Stdout.Text != "harmless" || a.State != "edited" || a.Code != "out harmless" || a.By.Key == "" {
		t.Errorf("%+v %+v", r, a)
	}
	if said := d.records(); !strings.Contains(said, `"action":"edited"`) || !strings.Contains(said, `"code":"out dangerous"`) {
		t.Error("the record does not hold both texts")
	}
	w = d.ask("/v1/executions", "out no")
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/reject", `{"comment":"not on a Friday"}`, 200, nil)
	r := d.over(w.ID)
	if r.OK || r.Status != cellwall.StatusRefused || !strings.Contains(r.Observation.ErrorMessage, "not on a Friday") || r.Stdout.Text != "" {
		t.Errorf("%+v", r)
	}
	if got := d.heard(); got[len(got)-1] != "execution.refused" {
		t.Errorf("%q", got)
	}
}

func TestM53_WhatNobodyDecidesExpires(t *testing.T) {
	d := waitingService(t, "executions = true\nexpires = \"300ms\"")
	w := d.ask("/v1/executions", "out late")
	if r := d.over(w.ID); r.Status != cellwall.StatusRefused || !strings.Contains(r.Observation.ErrorMessage, "in time") {
		t.Errorf("%+v", r)
	}
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 409, nil)
	var a struct{ State string }
	d.as(d.person, "GET", "/v1/approvals/"+w.Approval, "", 200, &a)
	if got := d.heard(); a.State != "expired" || !slices.Contains(got, "approval.expired") {
		t.Errorf("%+v %q", a, got)
	}
}

// However the code comes, none of it runs before somebody has looked at it.
func TestM53_NoRouteRunsCodePastThePerson(t *testing.T) {
	d := waitingService(t, "executions = true")
	var made struct{ ID string }
	d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
	code := execution(`out secretly\nfile f secretly`)
	d.as(d.agent, "POST", "/v1/executions", code, 202, nil)
	d.as(d.agent, "POST", "/v1/executions", code, 202, nil, "Accept", "text/event-stream")
	d.as(d.agent, "POST", "/v1/executions", code, 202, nil, "Prefer", "respond-async")
	cell := "/v1/sessions/" + made.ID + "/executions"
	d.as(d.agent, "POST", cell, code, 202, nil)
	d.as(d.agent, "POST", cell, code, 202, nil, "Accept", "text/event-stream")
	d.as(d.agent, "POST", cell, code, 202, nil, "Prefer", "respond-async")
	d.as(d.agent, "POST", "/v1/tools/run_python", `{"session":"`+made.ID+`","arguments":`+pythonCall("out secretly")+`}`, 202, nil)
	d.as(d.agent, "POST", "/execute", `{"code":"out secretly"}`, 403, nil)
	d.as(d.agent, "POST", "/execute", `{"code":"out secretly","input_files":{"a":"b"}}`, 403, nil)
	for _, kind := range d.heard() {
		if kind == "execution.done" {
			t.Error("something ran")
		}
	}
}

func TestM53_ACellWaitsAndRunsInItsSession(t *testing.T) {
	d := waitingService(t, "executions = true")
	var made struct{ ID string }
	d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
	cell := "/v1/sessions/" + made.ID + "/executions"
	for _, code := range []string{"set x 5", "get x"} {
		w := d.ask(cell, code)
		d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 200, nil)
		r := d.over(w.ID)
		if !r.OK || r.SessionID == nil || *r.SessionID != made.ID || code == "get x" && r.Stdout.Text != "5\n" {
			t.Errorf("%s: %+v", code, r)
		}
	}
	w := d.ask(cell, "get x")
	if status, text := call(t, http.DefaultClient, "DELETE", d.tcp+"/v1/sessions/"+made.ID, "", "X-API-Key", d.agent); status != 204 {
		t.Fatal(status, text)
	}
	d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 200, nil)
	if r := d.over(w.ID); r.Status != cellwall.StatusRefused || !strings.Contains(r.Observation.ErrorMessage, "the session is over") {
		t.Errorf("in a session that is over: %+v", r)
	}
}

func TestM53_WhatWaitsOutlivesTheService(t *testing.T) {
	for name, end := range map[string]syscall.Signal{"drained": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			d := waitingService(t, "executions = true")
			w := d.ask("/v1/executions", "out later")
			args := d.cmd.Args[4:]
			d.end(end)
			d.served = serveIn(t, "cellwall-fake", d.state, args...).ready()
			d.as(d.person, "POST", "/v1/approvals/"+w.Approval+"/approve", "", 200, nil)
			if r := d.over(w.ID); r.Stdout.Text != "later" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestM53_ACallOfAToolWaits(t *testing.T) {
	d := waitingService(t, `tools = ["run_python"]`)
	var made struct{ ID string }
	d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
	ask := func(code string, want int) (got api.ToolAnswer) {
		t.Helper()
		d.as(d.agent, "POST", "/v1/tools/run_python", `{"session":"`+made.ID+`","arguments":`+pythonCall(code)+`}`, want, &got)
		return got
	}
	type approval struct {
		State     string
		Execution string `json:"execution_id"`
		Outcome   *api.ToolAnswer
	}
	outcome := func(id string) (a approval) {
		t.Helper()
		d.await("the call is not made", func() bool {
			d.as(d.agent, "GET", "/v1/approvals/"+id, "", 200, &a)
			return a.Outcome != nil
		})
		return a
	}
	got := ask("set x 1", 202)
	if got.Stage != "waiting" || len(got.Offered) != 0 || got.Result != nil || !strings.Contains(string(got.Observation), got.Approval) {
		t.Fatalf("%+v", got)
	}
	if more := ask("out 2", 200); more.Refused == nil || more.Stage != "waiting" {
		t.Errorf("while it waits: %+v", more)
	}
	d.as(d.person, "POST", "/v1/approvals/"+got.Approval+"/edit", `{"code":"set x 2"}`, 200, nil)
	if a := outcome(got.Approval); a.State != "edited" || !a.Outcome.OK || a.Outcome.Result.ID != a.Execution {
		t.Errorf("%+v", a)
	}
	got = ask("get x", 202)
	d.as(d.person, "POST", "/v1/approvals/"+got.Approval+"/approve", "", 200, nil)
	if a := outcome(got.Approval); a.Outcome.Result == nil || a.Outcome.Result.Stdout.Text != "2\n" {
		t.Errorf("%+v", a)
	}
	got = ask("get x", 202)
	d.as(d.person, "POST", "/v1/approvals/"+got.Approval+"/edit", `{"arguments":{"code":7}}`, 400, nil)
	d.as(d.person, "POST", "/v1/approvals/"+got.Approval+"/reject", `{"comment":"enough"}`, 200, nil)
	if a := outcome(got.Approval); a.Outcome.OK || a.Outcome.Result != nil || !strings.Contains(string(a.Outcome.Observation), "enough") || a.Outcome.Stage != "stuck" {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(d.records(), `"decision":"waits"`) {
		t.Error("no record says that a call waits")
	}
}

// A session that is stuck asks for a person, and has its tries again when they say yes.
func TestM53_TheRoutersHumanCheckIsAQueue(t *testing.T) {
	a := beginTools(fakeService(t))
	a.call("inspect_data", `{}`)
	a.call("run_python", pythonCall("get no"), `"question":"cluster the rows"`)
	a.call("run_python", pythonCall("get no"))
	if got := a.call("run_python", pythonCall("out 1")); got.Refused == nil || got.Stage != "stuck" {
		t.Fatalf("%+v", got)
	}
	var got api.ToolAnswer
	a.post("/v1/tools/run_python", `{"session":"`+a.session+`","human_check":true,"arguments":`+pythonCall("out looked")+`}`, 202, &got)
	if now := a.offers(); now.Stage != "waiting" || len(offered(now)) != 0 {
		t.Errorf("%+v", now)
	}
	var decided struct{ State string }
	a.post("/v1/approvals/"+got.Approval+"/approve", ``, 200, &decided)
	a.await("it goes on", func() bool { return a.offers().Stage == "steps" })
	if again := a.call("run_python", pythonCall("out more")); !again.OK {
		t.Errorf("%+v", again)
	}
}

func TestM53_AnArtifactWaitsBeforeItIsHandedOut(t *testing.T) {
	d := waitingService(t, "artifacts = true")
	var ran struct{ Artifacts []struct{ ID string } }
	d.as(d.agent, "POST", "/v1/executions", execution("file a.csv x\nfile b.csv y"), 200, &ran)
	if len(ran.Artifacts) != 2 {
		t.Fatalf("%+v", ran)
	}
	a, b := "/v1/artifacts/"+ran.Artifacts[0].ID, "/v1/artifacts/"+ran.Artifacts[1].ID
	d.as(d.agent, "POST", a+"/link", "", 403, nil)
	var first, second struct{ ID, Kind string }
	d.as(d.agent, "GET", a, "", 202, &first)
	d.as(d.agent, "GET", a, "", 202, &second)
	if first != second || first.Kind != "artifact" {
		t.Errorf("asked twice: %+v, %+v", first, second)
	}
	d.as(d.person, "POST", "/v1/approvals/"+first.ID+"/edit", `{"code":"1"}`, 400, nil)
	d.as(d.person, "POST", "/v1/approvals/"+first.ID+"/approve", "", 200, nil)
	if text := d.as(d.agent, "GET", a, "", 200, nil); text != "x" {
		t.Errorf("%q", text)
	}
	var link struct{ URL string }
	d.as(d.agent, "POST", a+"/link", "", 200, &link)
	if status, text := call(t, http.DefaultClient, "GET", d.tcp+link.URL, ""); status != 200 || text != "x" {
		t.Errorf("%d %q", status, text)
	}
	d.as(d.agent, "GET", b, "", 202, &second)
	d.as(d.person, "POST", "/v1/approvals/"+second.ID+"/reject", "", 200, nil)
	d.as(d.agent, "GET", b, "", 403, nil)
	var made struct{ ID string }
	d.as(d.agent, "POST", "/v1/sessions", `{}`, 201, &made)
	d.as(d.agent, "POST", "/v1/sessions/"+made.ID+"/executions", execution("file a.csv x"), 200, nil)
	d.as(d.agent, "GET", "/v1/sessions/"+made.ID+"/files/a.csv", "", 403, nil)
	d.as(d.agent, "POST", "/execute", `{"code":"out 1","return_output_files":true}`, 403, nil)
}

// A client of MCP reads no artifact that waits, and runs no code that does.
func TestM53_MCPHandsOutNothingThatWaits(t *testing.T) {
	d := waitingService(t, "artifacts = true\ntools = [\"run_python\"]")
	var ran struct{ Artifacts []struct{ ID string } }
	d.as(d.agent, "POST", "/v1/executions", execution("file a.csv secret"), 200, &ran)
	c, err := clientOf(t, d.served, withKey{d.agent, "X-API-Key"}, "")
	if err != nil {
		t.Fatal(err)
	}
	read := func() (string, error) {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "cellwall://artifacts/" + ran.Artifacts[0].ID})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text + string(r.Contents[0].Blob), nil
	}
	if text, err := read(); err == nil {
		t.Errorf("it is read: %q", text)
	}
	ctx, leave := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer leave()
	if called, err := c.CallTool(ctx, pythonOver("out secretly")); err == nil || slices.Contains(d.heard()[1:], "execution.done") {
		t.Errorf("the program ran: %+v, %v, %q", called, err, d.heard())
	}
	var a struct{ ID string }
	d.as(d.agent, "GET", "/v1/artifacts/"+ran.Artifacts[0].ID, "", 202, &a)
	d.as(d.person, "POST", "/v1/approvals/"+a.ID+"/approve", "", 200, nil)
	if text, err := read(); err != nil || !strings.Contains(text, "secret") {
		t.Errorf("approved: %q, %v", text, err)
	}
}
