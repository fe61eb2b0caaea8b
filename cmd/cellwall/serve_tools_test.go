package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall/api"
)

// toolsAsked is a session of a service as the harness of a model uses it.
type toolsAsked struct {
	*served
	session string
}

// beginTools opens a session on one dataset.
func beginTools(s *served) toolsAsked {
	s.t.Helper()
	var made struct{ ID string }
	s.post("/v1/datasets", "a,b\n1,2\n", 201, &made, "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`)
	s.post("/v1/sessions", `{"datasets":["`+made.ID+`"]}`, 201, &made)
	return toolsAsked{s, made.ID}
}

// post asks as the service's own user, and decodes what must come.
func (s *served) post(path, body string, want int, into any, headers ...string) {
	s.t.Helper()
	status, text := call(s.t, s.local(), http.MethodPost, "http://local"+path, body, headers...)
	if status != want {
		s.t.Fatalf("POST %s %s: %d %s, want %d", path, body, status, text, want)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
}

// call calls a tool; more are fields of the body beside.
func (a toolsAsked) call(tool, arguments string, more ...string) (got api.ToolAnswer) {
	a.t.Helper()
	body := `{"session":"` + a.session + `","arguments":` + arguments + strings.Join(append([]string{""}, more...), ",") + `}`
	a.post("/v1/tools/"+tool, body, http.StatusOK, &got)
	return got
}

func (a toolsAsked) offers() (got api.ToolOffers) {
	a.t.Helper()
	a.operate("GET", "/v1/tools?session="+a.session, "", 200, &got)
	return got
}

// offered is what may be called.
func offered(o api.ToolOffers) (names []string) {
	for _, t := range o.Tools {
		if t.Offered {
			names = append(names, t.Name)
		}
	}
	return names
}

func pythonCall(code string) string {
	raw, _ := json.Marshal(map[string]string{"code": code, "purpose": "test"}) // texts always encode
	return string(raw)
}

func TestM4_ASessionOffersItsToolsStepByStep(t *testing.T) {
	a := beginTools(fakeService(t))
	first := a.offers()
	if first.Stage != "new" || !first.Live || !slices.Equal(offered(first), []string{"inspect_data"}) || len(first.Tools) != 4 {
		t.Errorf("at first: %+v", first)
	}
	for _, tool := range first.Tools {
		if !json.Valid(tool.Schema) || !strings.Contains(string(tool.Schema), "2020-12") || tool.Why == "" || tool.Description == "" {
			t.Errorf("%+v", tool)
		}
	}
	if got := a.call("run_python", pythonCall("out 1")); got.OK || got.Refused == nil || got.Refused.Instead != "inspect_data" || got.Result != nil {
		t.Errorf("a program before anything was inspected: %+v", got)
	}
	if got := a.call("run_python", pythonCall("out 1")); got.Refused == nil || !strings.Contains(string(got.Observation), "inspect_data") {
		t.Errorf("the model is not told which tool would do it: %s", got.Observation)
	}
	got := a.call("inspect_data", `{}`) // SQL is not set up, and nobody has told of a question
	if !got.OK || got.Stage != "steps" || !strings.Contains(string(got.Observation), `"rows":3`) || got.Result == nil {
		t.Fatalf("inspect: %+v", got)
	}
	if again := a.call("inspect_data", `{}`); !again.OK || again.Result != nil || string(again.Observation) != string(got.Observation) {
		t.Errorf("the second look ran something: %+v", again)
	}
	if got := a.call("make_chart", `{"kind":"cake"}`); got.OK || len(got.Faults) == 0 || got.Result != nil {
		t.Errorf("a malformed call: %+v", got)
	}
	if got := a.call("no_such", `{}`); got.Refused == nil || got.Refused.Next == "" {
		t.Errorf("an unknown tool: %+v", got)
	}
	got = a.call("run_python", pythonCall("set x 7"), `"question":"cluster the customers with k-means"`)
	if !got.OK || got.Stage != "steps" || got.Result == nil || got.Result.SessionID == nil || *got.Result.SessionID != a.session {
		t.Fatalf("a program after a question of several steps: %+v", got)
	}
	if got := a.call("run_python", pythonCall("get x")); !got.OK || got.Result.Stdout.Text != "7\n" {
		t.Errorf("the second program is not a cell of the same session: %+v", got)
	}
	for range 2 {
		a.call("run_python", pythonCall("get nothing"))
	}
	if got := a.call("run_python", pythonCall("out 1")); got.Stage != "stuck" || got.Refused == nil || got.Refused.Instead != "" {
		t.Errorf("after two failures: %+v", got)
	}
	a.decided("ran", "refused", "malformed")
}

// decided looks for decisions about tools in the tenant's records.
func (a toolsAsked) decided(decisions ...string) {
	a.t.Helper()
	status, text := call(a.t, a.local(), "GET", "http://local/v1/audit?limit=100", "")
	for _, d := range decisions {
		if status != 200 || !strings.Contains(text, `"decision":"`+d+`"`) || !strings.Contains(a.records(), `"decision":"`+d+`"`) {
			a.t.Errorf("no record of a call that was %s: %d %.2000s", d, status, text)
		}
	}
}

// The router's state outlives the service; the interpreter does not.
func TestM4_WhatTheRouterKnowsOutlivesTheService(t *testing.T) {
	for name, end := range map[string]syscall.Signal{"drained": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			a := beginTools(fakeService(t))
			a.call("inspect_data", `{}`)
			a.call("run_python", pythonCall("set x 1"), `"question":"cluster the rows"`)
			a.end(end)
			a.served = serveIn(t, "cellwall-fake", a.state).ready()
			now := a.offers()
			if now.Stage != "steps" || now.Live || len(offered(now)) < 3 {
				t.Fatalf("afterwards: %+v", now)
			}
			got := a.call("run_python", pythonCall(`out alone`))
			if !got.OK || got.Result.SessionID != nil || got.Result.Stdout.Text != "alone" {
				t.Errorf("a program without the interpreter: %+v", got)
			}
			if got := a.call("inspect_data", `{}`); !got.OK || got.Result != nil {
				t.Errorf("the tables were not known any more: %+v", got)
			}
		})
	}
}

func TestM4_ToolsEndWithTheirSession(t *testing.T) {
	a := beginTools(fakeService(t))
	if status, text := call(t, a.local(), "DELETE", "http://local/v1/sessions/"+a.session, ""); status != 204 {
		t.Fatal(status, text)
	}
	if status, text := call(t, a.local(), "GET", "http://local/v1/tools?session="+a.session, ""); status != 404 {
		t.Errorf("%d %s", status, text)
	}
	status, text := call(t, a.local(), "POST", "http://local/v1/tools/inspect_data", `{"session":"`+a.session+`","arguments":{}}`)
	if status != 404 {
		t.Errorf("%d %s", status, text)
	}
}

// A budget is one for cells and tools together.
func TestM3_ToolsAndCellsUseOneBudget(t *testing.T) {
	a := beginTools(fakeService(t, "--config", settingsFile(t, "[tenants.local.session_budget]\nexecutions = 2\n")))
	a.call("inspect_data", `{}`)
	var r struct{ OK bool }
	a.post("/v1/sessions/"+a.session+"/executions", execution("out 1"), 200, &r)
	now := a.offers()
	if now.Stage != "stopped" || now.Stop == nil || now.Stop.Used != 2 || len(offered(now)) != 0 {
		t.Errorf("%+v", now)
	}
}
