package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

func aCallersFunctionIsAnsweredOnce(t *testing.T, s *Service) {
	next, _ := s.follow(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{
		"code": "print(tools.weather(city='上海')['t'], tools.weather(city='B').t.sum())",
		"functions": []any{map[string]any{"name": "weather", "parameters": map[string]any{
			"type": "object", "required": []string{"city"}, "properties": map[string]any{"city": map[string]any{"type": "string"}},
		}}},
	}))
	answers := []string{`{"result":{"t":21}}`, `{"table":{"columns":[{"name":"t","dtype":"int64","values":[1,2]}]}}`}
	var execution string
	var asked []string
	for e, more := next(); more; e, more = next() {
		var said struct {
			ID        json.RawMessage
			Arguments struct{ City string }
		}
		if err := json.Unmarshal([]byte(e.data), &said); err != nil {
			t.Fatalf("%v: %s", err, e.data)
		}
		switch e.kind {
		case "started":
			if err := json.Unmarshal(said.ID, &execution); err != nil {
				t.Fatal(err)
			}
		case "call":
			asked = append(asked, said.Arguments.City)
			answeredOnce(t, s, execution, fmt.Sprintf("/calls/%s", said.ID), answers[len(asked)-1])
		case "done":
			var r cellwall.Result
			if err := json.Unmarshal([]byte(e.data), &r); err != nil || r.Stdout.Text != "21 3\n" || !slices.Equal(asked, []string{"上海", "B"}) {
				t.Errorf("%v, printed %q %+v, asked %q", err, r.Stdout.Text, r.Error, asked)
			}
			return
		}
	}
	t.Errorf("it ended without its end, asked %q", asked)
}

// answeredOnce answers a call that waits: by its tenant, once, with one value.
func answeredOnce(t *testing.T, s *Service, execution, call, answer string) {
	t.Helper()
	path := "/v1/executions/" + execution + call
	onlyForItsTenant(t, s, execution, asking{"POST", "/v1/executions/{id}" + call, `{"result":"another's"}`})
	for name, ask := range map[string]string{"nothing": `{}`, "two values": `{"result":1,"error":"x"}`, "no JSON": `nan`} {
		DemandProblem(t, name, s.Call(t, "POST", path, s.Agent, ask), 400, "bad_request")
	}
	if a := s.Call(t, "POST", path, s.Agent, answer); a.Status != 204 {
		t.Errorf("the answer is taken with %d %s", a.Status, a.Body)
	}
	DemandProblem(t, "a second answer", s.Call(t, "POST", path, s.Agent, answer), 404, "not_found")
}
