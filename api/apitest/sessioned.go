package apitest

import (
	"fmt"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// sessionView is what the suite looks at of a session.
type sessionView struct {
	ID, State, Environment, Branch string
	Branches                       []string
	Executions                     int
	Checkpoints                    []cellwall.Checkpoint
	Expires                        time.Time `json:"expires_at"`
	Limits                         struct {
		Timeout int64 `json:"timeout_ms"`
	}
}

// talk is a session of the first tenant.
type talk struct {
	*Service
	id, path string
}

// begin opens a session.
func begin(t *testing.T, s *Service, ask string) talk {
	t.Helper()
	a := s.Call(t, "POST", "/v1/sessions", s.Key, ask)
	v := Into[sessionView](t, a, 201)
	if !cellwall.ValidID(cellwall.PrefixSession, v.ID) || a.Header.Get("Location") != "/v1/sessions/"+v.ID {
		t.Fatalf("%v %s", a.Header, a.Body)
	}
	return talk{s, v.ID, "/v1/sessions/" + v.ID}
}

// cell runs code that is answered with a Result.
func (k talk) cell(t *testing.T, code string) cellwall.Result {
	t.Helper()
	return Into[cellwall.Result](t, k.Call(t, "POST", k.path+"/executions", k.Key, body(t, map[string]any{"code": code})), 200)
}

// says holds what a cell prints.
func (k talk) says(t *testing.T, code, want string) {
	t.Helper()
	if r := k.cell(t, code); r.Stdout.Text != want {
		t.Errorf("%s: prints %q, want %q: %+v", code, r.Stdout.Text, want, r.Error)
	}
}

// do sends one of the verbs below the session, which has to have this status.
func (k talk) do(t *testing.T, status int, verb, ask string) Answer {
	t.Helper()
	a := k.Call(t, "POST", k.path+"/"+verb, k.Key, ask)
	if a.Status != status {
		t.Fatalf("%s: %d %s, want %d", verb, a.Status, a.Body, status)
	}
	return a
}

func (k talk) view(t *testing.T) sessionView {
	t.Helper()
	return Into[sessionView](t, k.Call(t, "GET", k.path, k.Key, ""), 200)
}

// after is the checkpoint that was taken behind an execution.
func (k talk) after(t *testing.T, execution string) (id string) {
	t.Helper()
	await(t, fmt.Sprintf("%s has no checkpoint", execution), func() bool {
		for _, c := range k.view(t).Checkpoints {
			if c.Execution == execution {
				id = c.ID
			}
		}
		return id != ""
	})
	return id
}
