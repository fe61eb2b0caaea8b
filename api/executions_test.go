package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

func TestM42_WorkIsRefusedByTheGateAndReadingGoesOn(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) {
		o.Gate = func() error { return &cellwall.Error{Code: cellwall.CodeDraining, Op: "begin"} }
	})
	p := apitest.Into[api.Problem](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`), 503)
	if p.Code != cellwall.CodeDraining {
		t.Errorf("%+v", p)
	}
	if a := s.Call(t, "GET", "/v1/executions", s.Key, ""); a.Status != 200 {
		t.Errorf("reading is %d", a.Status)
	}
	if a := s.Call(t, "GET", "/readyz", "", ""); a.Status != 503 || strings.TrimSpace(string(a.Body)) != `{"ok":false}` {
		t.Errorf("readiness is %d %s", a.Status, a.Body)
	}
}

// finished remembers what was kept under idempotency keys.
type finished struct {
	api.Once
	bodies map[string]string
}

func (f finished) Finish(ctx context.Context, tenant, key string, status int, body []byte) error {
	f.bodies[key] = string(body)
	return f.Once.Finish(ctx, tenant, key, status, body)
}

// The store keeps no second copy of an answer that is the Result to the byte.
func TestOnce_AnAnswerIsTheResultAsItIsKept(t *testing.T) {
	kept := map[string]string{}
	s := apitest.Start(t, func(o *api.Options) { o.Once = finished{o.Once, kept} })
	opened := apitest.Into[struct{ ID string }](t, s.Call(t, "POST", "/v1/sessions", s.Key, `{}`), 201)
	for path, headers := range map[string][]string{
		"/v1/executions":  {},
		"/v1/executions?": {"Accept", "text/event-stream"},
		"/v1/sessions/" + opened.ID + "/executions":  {},
		"/v1/sessions/" + opened.ID + "/executions?": {"Accept", "text/event-stream"},
	} {
		const code = `{"code":"from IPython.display import HTML; print('<b>&\\u2028'); HTML('<i>&</i>')"}`
		answer := s.Call(t, "POST", path, s.Key, code, append(headers, "Idempotency-Key", path)...)
		var result struct{ ID string }
		if answer.Status != 200 || json.Unmarshal([]byte(kept[path]), &result) != nil {
			t.Fatalf("%s: %d %s, kept %s", path, answer.Status, answer.Body, kept[path])
		}
		if k, err := s.Store.Execution(t.Context(), s.Tenant, result.ID); err != nil || string(k.Result) != kept[path] {
			t.Errorf("%s: the key stands for %s,\nkept is %s, %v", path, kept[path], k.Result, err)
		}
	}
}
