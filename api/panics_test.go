package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

// faulty is work with a fault in it that is ours: it panics as often as it is told to,
// before it does anything or when what came of it is kept.
type faulty struct {
	api.Work

	before, behind atomic.Int32
}

func hit(n *atomic.Int32) {
	if n.Add(-1) >= 0 {
		panic("a fault of ours")
	}
}

func (f *faulty) Stream(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	hit(&f.before)
	r, err := f.Work.Stream(ctx, req, sink)
	hit(&f.behind)
	return r, err
}

func (f *faulty) Describe(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	hit(&f.before)
	return f.Work.Describe(ctx, req)
}

func startFaulty(t *testing.T, change ...func(*api.Options)) (*apitest.Service, *faulty) {
	f := &faulty{}
	s := apitest.Start(t, append(change, func(o *api.Options) { f.Work, o.Work = o.Work, f })...)
	return s, f
}

// Work that nobody waits for ends its service no more than a call does, and says what
// became of it.
func TestM52_WorkLeftBehindThatPanicsEndsItself(t *testing.T) {
	s, f := startFaulty(t)
	s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Background = 1 })
	for range 3 { // each gives back its place
		f.before.Store(1)
		a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`, "Prefer", "respond-async")
		k := apitest.Into[struct{ ID string }](t, a, http.StatusAccepted)
		if err := s.Server.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := apitest.Into[cellwall.Result](t, s.Call(t, "GET", "/v1/executions/"+k.ID, s.Key, ""), 200)
		if r.Status != cellwall.StatusInternalError || strings.Contains(r.Observation.ErrorMessage, "fault") {
			t.Errorf("it ended as %s: %q", r.Status, r.Observation.ErrorMessage)
		}
	}
	if r := apitest.Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`), 200); !r.OK {
		t.Errorf("what comes after it is %+v", r)
	}
}
