package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api/apitest"
)

// What another service on the same database has accepted is not under way here: as long
// as it waits it is ended all the same, and that service begins it no more; what it runs
// is that one's to end.
func TestM52_WhatAnotherServiceKeepsIsCancelledWhileItWaits(t *testing.T) {
	s := apitest.Start(t)
	accept := func() string {
		t.Helper()
		k := cellwall.KeptExecution{
			ID: cellwall.NewID(cellwall.PrefixExecution), Identity: cellwall.Identity{Tenant: s.Tenant}, At: time.Now(), Request: []byte(`{"body":{"code":"1"}}`),
		}
		if err := s.Store.Accept(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		return k.ID
	}
	begin := func(id string, want bool) {
		t.Helper()
		if mine, err := s.Store.Begin(t.Context(), s.Tenant, id); err != nil || mine != want {
			t.Errorf("it may begin: %v, %v, want %v", mine, err, want)
		}
	}
	waits, runs := accept(), accept()
	begin(runs, true)
	for range 2 {
		v := apitest.Into[apitest.Listed](t, s.Call(t, "DELETE", "/v1/executions/"+waits, s.Key, ""), http.StatusOK)
		if v.State != "done" || v.Status != "cancelled" {
			t.Errorf("what waited is %+v", v)
		}
	}
	begin(waits, false)
	if r := apitest.Into[cellwall.Result](t, s.Call(t, "GET", "/v1/executions/"+waits, s.Key, ""), http.StatusOK); r.Cause != cellwall.CauseCancelled {
		t.Errorf("its result is %+v", r)
	}
	p := apitest.DemandProblem(t, "what runs elsewhere", s.Call(t, "DELETE", "/v1/executions/"+runs, s.Key, ""), http.StatusConflict, cellwall.CodeConflict)
	if p.Hint == "" {
		t.Error("it does not say what to do")
	}
}
