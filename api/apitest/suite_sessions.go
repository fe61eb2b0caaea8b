package apitest

import (
	"bytes"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func aSessionKeepsItsStateBetweenCells(t *testing.T, s *Service) {
	k := begin(t, s, `{"limits":{"timeout_ms":20000},"idle_timeout_s":60}`)
	answer := k.Call(t, "POST", k.path+"/executions", s.Key, `{"code":"x = 41","metadata":{"step":"1"}}`)
	one := Into[cellwall.Result](t, answer, 200)
	two := k.cell(t, "print('中文', x + 1)")
	if two.Stdout.Text != "中文 42\n" || two.SessionID == nil || *two.SessionID != k.id {
		t.Errorf("%+v", two)
	}
	v := k.view(t)
	if v.State != "ready" || v.Executions != 2 || v.Environment == "" || v.Branch != "main" || v.Limits.Timeout != 20_000 {
		t.Errorf("%+v", v)
	}
	if left := time.Until(v.Expires); left > time.Minute || left < 40*time.Second {
		t.Errorf("unused it ends in %s", left)
	}
	if l := Into[List[sessionView]](t, s.Call(t, "GET", "/v1/sessions", s.Key, ""), 200); len(l.Items) != 1 || l.Items[0].ID != k.id {
		t.Errorf("the list has %+v", l.Items)
	}
	// What a cell came to outlives its session.
	if a := s.Call(t, "DELETE", k.path, s.Key, ""); a.Status != 204 {
		t.Errorf("ending it: %d %s", a.Status, a.Body)
	}
	if a := s.Call(t, "GET", "/v1/executions/"+one.ID, s.Key, ""); a.Status != 200 || !bytes.Equal(bytes.TrimSpace(a.Body), bytes.TrimSpace(answer.Body)) {
		t.Errorf("a cell is %d %s later,\nit was %s", a.Status, a.Body, answer.Body)
	}
	l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Key, ""), 200)
	if len(l.Items) != 2 || l.Items[0].ID != two.ID || l.Items[1].Metadata["step"] != "1" {
		t.Errorf("the list of executions has %+v", l.Items)
	}
	DemandProblem(t, "a cell of what has ended", s.Call(t, "POST", k.path+"/executions", s.Key, `{"code":"1"}`), 409, "conflict")
	if l := Into[List[sessionView]](t, s.Call(t, "GET", "/v1/sessions", s.Key, ""), 200); l.Items == nil || len(l.Items) != 0 {
		t.Errorf("afterwards the list has %+v", l.Items)
	}
}

func aCellUnderItsKeyRunsOnce(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	k.cell(t, "n = 0")
	again := func(code string) Answer {
		t.Helper()
		return s.Call(t, "POST", k.path+"/executions", s.Key, body(t, map[string]any{"code": code}), "Idempotency-Key", "k")
	}
	first, second := again("n += 1; print(n)"), again("n += 1; print(n)")
	if first.Status != 200 || !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(second.Body)) || second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again it is %d %v %s, first it was %d %s", second.Status, second.Header, second.Body, first.Status, first.Body)
	}
	DemandProblem(t, "another cell under the key", again("2"), 409, "conflict")
	k.says(t, "print(n)", "1\n")
}

func sessionsAreTheirTenants(t *testing.T, s *Service) {
	k := begin(t, s, `{}`)
	k.cell(t, "x = 1; open('a.txt', 'w').write('secret')")
	const one = "/v1/sessions/{id}"
	onlyForItsTenant(t, s, k.id,
		asking{"POST", "/v1/sessions", `{}`},
		asking{"GET", "/v1/sessions", ""},
		asking{"GET", one, ""},
		asking{"POST", one + "/executions", `{"code":"x = 2"}`},
		asking{"POST", one + "/interrupt", ""},
		asking{"POST", one + "/rollback", `{}`},
		asking{"POST", one + "/branch", `{"name":"b"}`},
		asking{"POST", one + "/fork", ""},
		asking{"POST", one + "/pause", ""},
		asking{"POST", one + "/resume", ""},
		asking{"GET", one + "/files", ""},
		asking{"GET", one + "/files/a.txt", ""},
		asking{"PUT", one + "/files/a.txt", "x"},
		asking{"POST", one + "/files", "x"},
		asking{"DELETE", one + "/files/a.txt", ""},
		asking{"DELETE", one, ""},
	)
	if l := Into[List[sessionView]](t, s.Call(t, "GET", "/v1/sessions", s.Other, ""), 200); l.Items == nil || len(l.Items) != 0 {
		t.Errorf("another tenant lists %+v", l.Items)
	}
	k.says(t, "print(x, open('a.txt').read())", "1 secret\n")
	if v := k.view(t); v.Branch != "main" || v.State != "ready" {
		t.Errorf("afterwards it is %+v", v)
	}
}
