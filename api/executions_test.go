package api_test

import (
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
