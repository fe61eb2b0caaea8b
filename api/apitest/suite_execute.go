package apitest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// executed is what POST /execute answers.
type executed struct {
	Stdout, Stderr string
	ExitCode       *int               `json:"exit_code"`
	Files          *map[string]string `json:"output_files"`
}

func theOtherShapeAnswersAsThatServiceDid(t *testing.T, s *Service) {
	a := s.Call(t, "POST", "/execute", s.Agent, `{"code":"print('结果', 6 * 7)","unknown":1}`)
	e := Into[executed](t, a, 200)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &fields); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, []string{"execution_time", "exit_code", "output_files", "stderr", "stdout", "task_id"}) {
		t.Errorf("it has the fields %q", got)
	}
	if e.Stdout != "结果 42\n" || e.Stderr != "" || e.ExitCode == nil || *e.ExitCode != 0 || e.Files != nil {
		t.Errorf("%s", a.Body)
	}
	e = Into[executed](t, s.Call(t, "POST", "/execute", s.Agent, `{"code":"{}['x']"}`), 200)
	if *e.ExitCode != 1 || !strings.HasSuffix(e.Stderr, "KeyError: 'x'\n") {
		t.Errorf("code that fails: %+v", e)
	}
	e = Into[executed](t, s.Call(t, "POST", "/execute", s.Agent, body(t, map[string]any{
		"code": "print(open('in/a.txt').read()); open('b.txt', 'w').write('三')", "input_files": map[string]string{"in/a.txt": "eins"}, "return_output_files": true,
	})), 200)
	if e.Stdout != "eins\n" || e.Files == nil || !maps.Equal(*e.Files, map[string]string{"b.txt": "三"}) {
		t.Errorf("with files: %+v", e)
	}
	// Each is an execution like any other, kept for its tenant.
	if l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Key, ""), 200); len(l.Items) != 3 || l.Items[1].Status != "error" || l.Items[2].Status != "ok" {
		t.Errorf("the list has %+v", l.Items)
	}
	if l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Other, ""), 200); len(l.Items) != 0 {
		t.Errorf("another tenant lists %+v", l.Items)
	}
}

func theOtherShapeRefusesInItsOwnWords(t *testing.T, s *Service) {
	for name, c := range map[string]struct {
		key, body string
		status    int
		detail    string
	}{
		"no key":         {"", `{"code":"1"}`, 401, "Invalid API Key"},
		"an expired key": {s.Expired, `{"code":"1"}`, 401, "Invalid API Key"},
		"a module":       {s.Agent, `{"code":"import os"}`, 400, "Execution failed: Sensitive module os is forbidden"},
		"no time":        {s.Agent, `{"code":"while True: pass","timeout":1}`, 408, "Execution timeout after 1s"},
	} {
		a := s.Call(t, "POST", "/execute", c.key, c.body)
		if said := Into[struct{ Detail string }](t, a, c.status); said.Detail != c.detail {
			t.Errorf("%s: %q, want %q", name, said.Detail, c.detail)
		}
	}
	if a := s.Call(t, "POST", "/execute", s.Auditor, `{"code":"1"}`); a.Status != 403 || !strings.HasPrefix(string(a.Body), `{"detail":"Execution failed: `) {
		t.Errorf("a key that only reads: %d %s", a.Status, a.Body)
	}
	faults := Into[struct{ Detail []struct{ Loc []string } }](t, s.Call(t, "POST", "/execute", s.Agent, `{"code":"1","timeout":301}`), 422)
	if len(faults.Detail) != 1 || !slices.Equal(faults.Detail[0].Loc, []string{"body", "timeout"}) {
		t.Errorf("a field out of range: %+v", faults)
	}
}
