package apitest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func toolsAreTheirTenants(t *testing.T, s *Service) {
	a := withTools(t, s, s.Key)
	onlyForItsTenant(t, s, a.session,
		asking{"GET", "/v1/tools?session={id}", ""},
		asking{"POST", "/v1/tools/run_python", `{"session":"{id}","arguments":{"code":"1","purpose":"x"}}`},
		asking{"POST", "/v1/tools/shell", `{"session":"{id}","arguments":{}}`}, // a mistake tells a stranger no more
		asking{"POST", "/v1/tools/run_python", `{"session":"{id}","arguments":[]}`},
	)
	if status := s.Call(t, "DELETE", "/v1/sessions/"+a.session, s.Key, "").Status; status != 204 {
		t.Fatalf("the session ends with %d", status)
	}
	await(t, "its tools do not end with it", func() bool {
		return s.Call(t, "GET", "/v1/tools?session="+a.session, s.Key, "").Status == 404
	})
}

func badCallsOfToolsAreRefusedWithASentence(t *testing.T, s *Service) {
	a := withTools(t, s, s.Key)
	good := program(t, "print('ran')")
	const path = "/v1/tools/run_python"
	refused(t, s, s.Key, []mistake{
		{"of no session", "GET", "/v1/tools", "", 422, "query.session"},
		{"of two sessions", "GET", "/v1/tools?session=" + a.session + "&session=" + a.session, "", 422, "query.session"},
		{"of a session without end", "GET", "/v1/tools?session=" + strings.Repeat("s", 65), "", 422, "query.session"},
		{"of a session of NUL", "GET", "/v1/tools?session=%00", "", 400, "NUL"},
		{"of a session that is none", "GET", "/v1/tools?session=sess_x", "", 404, ""},
		{"a query that is not known", "GET", "/v1/tools?session=" + a.session + "&lang=zh", "", 422, "lang"},
		{"nothing", "POST", path, ``, 400, "body"},
		{"half", "POST", path, `{"session":"`, 400, "JSON"},
		{"no UTF-8", "POST", path, "{\"session\":\"\xff\"}", 400, "UTF-8"},
		{"a list", "POST", path, `[]`, 422, "expected object"},
		{"no session", "POST", path, `{"arguments":{}}`, 422, "session"},
		{"no arguments", "POST", path, `{"session":"` + a.session + `"}`, 422, "arguments"},
		{"a session with NUL", "POST", path, `{"session":"\u0000","arguments":{}}`, 404, ""},
		{"a session as a number", "POST", path, `{"session":1,"arguments":{}}`, 422, "body.session"},
		{"an unknown field", "POST", path, a.asked(t, good, "code", "1"), 422, "body.code"},
		{"a question without end", "POST", path, a.asked(t, good, "question", strings.Repeat("?", 4001)), 422, "body.question"},
		{"a cost below", "POST", path, a.asked(t, good, "token_cost", -1), 422, "body.token_cost"},
		{"a cost beyond", "POST", path, a.asked(t, good, "token_cost", 1e10), 422, "body.token_cost"},
		{"a wish in words", "POST", path, a.asked(t, good, "human_check", "yes"), 422, "body.human_check"},
		{"metadata that is no text", "POST", path, a.asked(t, good, "metadata", map[string]int{"a": 1}), 422, "metadata"},
		{"metadata without end", "POST", path, a.asked(t, good, "metadata", map[string]string{"a": strings.Repeat("x", 600)}), 400, "metadata"},
		{"a body without end", "POST", path, a.asked(t, fmt.Sprintf("%q", strings.Repeat("x", 1<<20))), 413, "bytes"},
		{"a tool without end", "POST", "/v1/tools/" + strings.Repeat("t", 65), a.asked(t, good), 422, "path.name"},
		{"a tool of NUL", "POST", "/v1/tools/%00", a.asked(t, good), 404, ""},
		{"a tool that is no text", "POST", "/v1/tools/%ff", a.asked(t, good), 404, ""},
		{"a tool that is a path", "POST", "/v1/tools/..%2fsessions", a.asked(t, good), 404, ""},
	})
	if strings.Contains(s.Records(t), "print('ran')") {
		t.Error("a mistake ran")
	}
}

// What a model writes is answered for the model to read, whatever it is.
func whatAModelWritesIsAnsweredForItToRead(t *testing.T, s *Service) {
	a := withTools(t, s, s.Key)
	for name, arguments := range map[string]string{
		"null": `null`, "a text": `"x"`, "a list": `[]`, "nothing": `{}`, "another field": `{"code":"1","purpose":"x","shell":true}`,
		"no code": `{"code":"","purpose":"x"}`, "a number": `{"code":1,"purpose":"x"}`, "deep": strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"long": fmt.Sprintf(`{"code":%q,"purpose":"x"}`, strings.Repeat("x", 300_000)),
	} {
		if got := a.tool(t, 200, "run_python", arguments); got.OK || len(got.Faults) == 0 || got.Result != nil || got.Faults[0].Problem == "" {
			t.Errorf("%s: %+v", name, got)
		} else if text := fmt.Sprintf("%s%+v", got.Observation, got.Faults); leaks.MatchString(text) {
			t.Errorf("%s: the answer holds %q: %s", name, leaks.FindString(text), text)
		}
	}
	if got := a.tool(t, 200, "run_python", `{"code":"print(1)\u0000","purpose":"x\u0000"}`); got.OK {
		t.Errorf("a program with NUL: %+v", got)
	}
	s.Hold(t, cellwall.ApprovalTerms{Tools: []string{"run_python"}})
	nul := s.Call(t, "POST", "/v1/tools/run_python", s.Key, a.asked(t, `{"code":"print(1)\u0000","purpose":"x"}`))
	DemandProblem(t, "a program with NUL that would wait", nul, 400, "bad_request")
}
