package api_test

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cellwall/cellwall/api/apitest"
)

// A call that panicked leaves its idempotency key to the next try, which runs the code
// or, where it has run, finds what came of it.
func TestM42_AKeyOutlivesAPanic(t *testing.T) {
	for name, headers := range map[string][]string{"one answer": {"Accept", "application/json"}, "a stream": {"Accept", "text/event-stream"}} {
		for where, replayed := range map[string]string{"before": "", "behind": "true"} {
			t.Run(name+", "+where, func(t *testing.T) {
				s, f := startFaulty(t)
				map[string]*atomic.Int32{"before": &f.before, "behind": &f.behind}[where].Store(1)
				headers := append([]string{"Idempotency-Key", "k"}, headers...)
				ask := func() apitest.Answer {
					return s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"print(6*7)"}`, headers...)
				}
				if a := ask(); a.Status != 500 && !bytes.Contains(a.Body, []byte("event: problem")) {
					t.Fatalf("it panicked, and is answered with %d %s", a.Status, a.Body)
				}
				for range 2 {
					a := ask()
					if a.Status != 200 || !bytes.Contains(a.Body, []byte(`42\n`)) || a.Header.Get("Idempotency-Replayed") != replayed {
						t.Errorf("the same again is %d %v %s", a.Status, a.Header, a.Body)
					}
					replayed = "true"
				}
				if n := strings.Count(s.Records(t), `"code_sha256"`); n != 1 {
					t.Errorf("the code ran %d times", n)
				}
			})
		}
	}
}

func TestM42_WhatWasMadeBeforeAPanicIsMadeOnce(t *testing.T) {
	s, f := startFaulty(t)
	f.before.Store(1)
	file := []string{"Content-Type", "application/octet-stream", "Content-Disposition", `attachment; filename="a.csv"`, "Idempotency-Key", "k"}
	if a := s.Call(t, "POST", "/v1/datasets", s.Key, "a,b\n1,2\n", file...); a.Status != 500 {
		t.Fatalf("it panicked, and is answered with %d %s", a.Status, a.Body)
	}
	list := func() []apitest.Listed {
		return apitest.Into[apitest.List[apitest.Listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200).Items
	}
	before := list()
	made := apitest.Into[struct{ ID string }](t, s.Call(t, "POST", "/v1/datasets", s.Key, "a,b\n1,2\n", file...), 201)
	if after := list(); len(before) != 1 || len(after) != 1 || after[0].ID != made.ID || before[0].ID != made.ID {
		t.Errorf("before %v, after %v, answered %s", before, after, made.ID)
	}
}
