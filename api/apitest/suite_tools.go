package apitest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
)

// tooled is a session as the harness of a model uses it.
type tooled struct {
	*Service
	key, session string
}

// withTools opens a session on these datasets.
func withTools(t *testing.T, s *Service, key string, datasets ...string) tooled {
	t.Helper()
	made := Into[struct{ ID string }](t, s.Call(t, "POST", "/v1/sessions", key, body(t, map[string]any{"datasets": append([]string{}, datasets...)})), 201)
	return tooled{s, key, made.ID}
}

func (a tooled) offers(t *testing.T) (o api.ToolOffers, names []string) {
	t.Helper()
	o = Into[api.ToolOffers](t, a.Call(t, "GET", "/v1/tools?session="+a.session, a.key, ""), 200)
	for _, tool := range o.Tools {
		if tool.Offered {
			names = append(names, tool.Name)
		}
	}
	return o, names
}

// asked is the body of a call; more are fields beside the arguments.
func (a tooled) asked(t *testing.T, arguments string, more ...any) string {
	t.Helper()
	fields := map[string]any{"session": a.session, "arguments": json.RawMessage(arguments)}
	for i := 0; i+1 < len(more); i += 2 {
		fields[more[i].(string)] = more[i+1]
	}
	return body(t, fields)
}

// tool makes a call that is answered with this status.
func (a tooled) tool(t *testing.T, status int, tool, arguments string, more ...any) api.ToolAnswer {
	t.Helper()
	got := a.Call(t, "POST", "/v1/tools/"+tool, a.key, a.asked(t, arguments, more...))
	answer := Into[api.ToolAnswer](t, got, status)
	if waits := answer.Approval != ""; waits != (status == 202) || waits && got.Header.Get("Location") != "/v1/approvals/"+answer.Approval {
		t.Errorf("%s is answered with %d %v %s", tool, got.Status, got.Header, got.Body)
	}
	return answer
}

// program is the arguments of run_python.
func program(t *testing.T, code string) string {
	t.Helper()
	return body(t, map[string]any{"code": code, "purpose": "a test"})
}

// outcomeOf waits for what comes of a call that was decided.
func (a tooled) outcomeOf(t *testing.T, id string) (got approval) {
	t.Helper()
	await(t, "the call is not made", func() bool {
		got = approvalOf(t, a.Service, a.key, id)
		return got.Outcome != nil
	})
	return got
}

func aSessionOffersItsToolsStepByStep(t *testing.T, s *Service) {
	data := Into[cellwall.Dataset](t, upload(t, s, s.Agent, "sales.csv", sales), 201)
	a := withTools(t, s, s.Agent, data.ID)
	first, names := a.offers(t)
	if first.Stage != "new" || first.Session != a.session || !slices.Equal(names, []string{"inspect_data"}) || len(first.Tools) != 4 {
		t.Fatalf("at first: %+v", first)
	}
	for _, tool := range first.Tools {
		if !strings.Contains(string(tool.Schema), "2020-12") || tool.Why == "" || tool.Description == "" || tool.ReadOnly != (tool.Name != "run_python") {
			t.Errorf("%+v", tool)
		}
	}
	if got := a.tool(t, 200, "run_python", program(t, "1")); got.OK || got.Refused == nil || got.Refused.Instead != "inspect_data" || got.Result != nil {
		t.Errorf("a program before anything was inspected: %+v", got)
	}
	// It has steps where SQL is not set up.
	if got := a.tool(t, 200, "inspect_data", `{}`); !got.OK || !slices.Contains([]string{"simple", "steps"}, got.Stage) || !bytes.Contains(got.Observation, []byte("revenue")) {
		t.Fatalf("inspect: %+v %s", got, got.Observation)
	}
	if got := a.tool(t, 200, "make_chart", `{"kind":"cake"}`); got.OK || len(got.Faults) == 0 || got.Result != nil || got.Refused != nil {
		t.Errorf("a malformed call: %+v", got)
	}
	if got := a.tool(t, 200, "shell", `{}`); got.Refused == nil || got.Refused.Next == "" || got.Result != nil {
		t.Errorf("an unknown tool: %+v", got)
	}
	got := a.tool(t, 200, "run_python", program(t, "print(int(df.revenue.sum()))"), "question", "cluster the customers with k-means", "token_cost", 1.5)
	if !got.OK || got.Stage != "steps" || got.Result == nil || got.Result.Stdout.Text != "4\n" {
		t.Fatalf("a program after a question of several steps: %+v %s", got, got.Observation)
	}
	for range 2 {
		if got := a.tool(t, 200, "run_python", program(t, "{}['x']")); got.OK || got.Result == nil {
			t.Errorf("a program that fails: %+v", got)
		}
	}
	if got := a.tool(t, 200, "run_python", program(t, "1")); got.Stage != "stuck" || got.Refused == nil {
		t.Errorf("after two failures: %+v", got)
	}
	waiting := a.tool(t, 202, "run_python", program(t, "print('looked')"), "human_check", true)
	if now, names := a.offers(t); now.Stage != "waiting" || len(names) != 0 {
		t.Errorf("while it waits: %+v", now)
	}
	decide(t, s, waiting.Approval, "approve", "", 200)
	if done := a.outcomeOf(t, waiting.Approval); !done.Outcome.OK || done.Outcome.Stage != "steps" || done.Outcome.Result.Stdout.Text != "looked\n" {
		t.Errorf("%+v", done)
	}
}

func aToolIsCalledOnceUnderItsKey(t *testing.T, s *Service) {
	a := withTools(t, s, s.Agent)
	call := func(code string) Answer {
		t.Helper()
		return s.Call(t, "POST", "/v1/tools/run_python", s.Agent, a.asked(t, program(t, code)), "Idempotency-Key", "k")
	}
	first, again := call("print(__import__('random').random())"), call("print(__import__('random').random())")
	if first.Status != 200 || !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again it is %d %s, first it was %d %s", again.Status, again.Body, first.Status, first.Body)
	}
	DemandProblem(t, "another body under the key", call("2"), 409, "conflict")
}

func aCallOfAToolWaitsForAPerson(t *testing.T, s *Service) {
	s.Hold(t, cellwall.ApprovalTerms{Tools: []string{"run_python"}})
	a := withTools(t, s, s.Agent)
	got := a.tool(t, 202, "run_python", program(t, "print('dangerous')"))
	if got.Stage != "waiting" || len(got.Offered) != 0 || got.Result != nil || !bytes.Contains(got.Observation, []byte(got.Approval)) {
		t.Errorf("%+v %s", got, got.Observation)
	}
	kept := approvalOf(t, s, s.Agent, got.Approval)
	if kept.Kind != "tool" || kept.Tool != "run_python" || kept.Code != "print('dangerous')" || kept.Purpose != "a test" || kept.Arguments["code"] != kept.Code {
		t.Errorf("%+v", kept)
	}
	DemandProblem(t, "the one that asked", s.Call(t, "POST", "/v1/approvals/"+got.Approval+"/approve", s.Agent, ""), 403, "forbidden")
	if more := a.tool(t, 200, "run_python", program(t, "2")); more.Refused == nil || more.Stage != "waiting" {
		t.Errorf("while it waits: %+v", more)
	}
	refused(t, s, s.Key, []mistake{
		{"arguments that the schema does not take", "POST", "/v1/approvals/" + got.Approval + "/edit", `{"arguments":{"code":7,"purpose":"x"}}`, 400, "code"},
		{"arguments that are null", "POST", "/v1/approvals/" + got.Approval + "/edit", `{"arguments":null}`, 400, ""},
		{"arguments with NUL", "POST", "/v1/approvals/" + got.Approval + "/edit", `{"arguments":{"code":"\u0000","purpose":"x"}}`, 400, "NUL"},
		{"code without end", "POST", "/v1/approvals/" + got.Approval + "/edit", body(t, map[string]any{"code": strings.Repeat("x", 100_001)}), 400, "code"},
	})
	decide(t, s, got.Approval, "edit", `{"code":"print('harmless')"}`, 200)
	if done := a.outcomeOf(t, got.Approval); done.State != "edited" || !done.Outcome.OK || done.Outcome.Result.ID != done.Execution || done.Outcome.Result.Stdout.Text != "harmless\n" {
		t.Errorf("%+v", done)
	}
	got = a.tool(t, 202, "run_python", program(t, "print('never')"))
	decide(t, s, got.Approval, "reject", `{"comment":"enough"}`, 200)
	if done := a.outcomeOf(t, got.Approval); done.State != "rejected" || done.Outcome.OK || done.Outcome.Result != nil || done.Outcome.Stage != "stuck" {
		t.Errorf("%+v", done)
	}
}
