package apitest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// happened is a part of what a tenant hears.
type happened struct {
	Items []cellwall.Happening
	Next  uint64
}

// heard are the events of a tenant, once there are as many.
func (s *Service) heard(t *testing.T, key string, many int) (got happened) {
	t.Helper()
	await(t, "not so much is told", func() bool {
		got = Into[happened](t, s.Call(t, "GET", "/v1/events", key, ""), 200)
		return len(got.Items) >= many
	})
	return got
}

// of are the executions that events of a kind name.
func (h happened) of(t *testing.T, kind string) (ids []string) {
	t.Helper()
	for _, e := range h.Items {
		var told struct {
			ID string `json:"execution_id"`
		}
		if err := json.Unmarshal(e.Data, &told); err != nil {
			t.Fatalf("%v: %s", err, e.Data)
		}
		if e.Kind == kind {
			ids = append(ids, told.ID)
		}
	}
	return ids
}

func whatHappensIsListedInOrder(t *testing.T, s *Service) {
	var want []string
	for _, code := range []string{"secret = 1", "{}['secret']", "3"} {
		want = append(want, Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": code})), 200).ID)
	}
	refused := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"import os","profile":"strict"}`), 200)
	DemandProblem(t, "no such environment", s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"1","environment":"no-such"}`), 404, "environment_missing")
	got := s.heard(t, s.Agent, 5)
	if done := got.of(t, "execution.done"); !slices.Equal(done, want) || got.Next != 5 {
		t.Errorf("%q, want %q, next %d", done, want, got.Next)
	}
	if turned := got.of(t, "execution.refused"); len(turned) != 2 || turned[0] != refused.ID || !strings.Contains(string(got.Items[4].Data), `"environment_missing"`) {
		t.Errorf("refused are %q, want %s and what has no environment", turned, refused.ID)
	}
	for i, e := range got.Items {
		if e.Seq != uint64(i+1) || !cellwall.ValidID(cellwall.PrefixEvent, e.ID) || strings.Contains(string(e.Data), "secret") {
			t.Errorf("%+v %s", e, e.Data)
		}
	}
	for after, page := range map[int][]cellwall.Happening{0: got.Items[:2], 2: got.Items[2:4], 4: got.Items[4:], 5: nil} {
		part := Into[happened](t, s.Call(t, "GET", "/v1/events?limit=2&after="+strconv.Itoa(after), s.Agent, ""), 200)
		same := func(a, b cellwall.Happening) bool { return a.ID == b.ID && a.Seq == b.Seq && a.At.Equal(b.At) }
		if !slices.EqualFunc(part.Items, page, same) || part.Items == nil || part.Next != uint64(after+len(page)) {
			t.Errorf("behind %d: %+v, want %+v", after, part, page)
		}
	}
	if o := Into[happened](t, s.Call(t, "GET", "/v1/events", s.Other, ""), 200); o.Items == nil || len(o.Items) != 0 || o.Next != 0 {
		t.Errorf("another tenant hears %+v", o)
	}
	onlyWithScope(t, s, asking{"GET", "/v1/events", ""}, s.Auditor)
}

func aStreamOfEventsIsResumed(t *testing.T, s *Service) {
	run := func(key string) string {
		t.Helper()
		return Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", key, `{"code":"1"}`), 200).ID
	}
	want := []string{run(s.Key), run(s.Key)}
	s.heard(t, s.Key, 2)
	next, leave := s.follow(t, "GET", "/v1/events", s.Agent, "", "Last-Event-ID", "1")
	told := func(id, execution string) {
		t.Helper()
		if e, more := next(); !more || e.id != id || e.kind != "execution.done" || !strings.Contains(e.data, execution) {
			t.Errorf("%+v, want %s of %s", e, id, execution)
		}
	}
	told("2", want[1])
	run(s.Other)          // nobody else hears of it
	told("3", run(s.Key)) // and what comes
	leave()
	missed := run(s.Key)
	next, _ = s.follow(t, "GET", "/v1/events", s.Agent, "", "Last-Event-ID", "3")
	told("4", missed)
	refused(t, s, s.Agent, []mistake{
		{"no number", "GET", "/v1/events?after=x", "", 422, "after"},
		{"too many", "GET", "/v1/events?limit=201", "", 422, "limit"},
		{"another question", "GET", "/v1/events?kind=x", "", 422, "kind"},
	})
	DemandProblem(t, "an id that is none", s.Call(t, "GET", "/v1/events", s.Agent, "", "Last-Event-ID", "x"), 400, "bad_request")
}
