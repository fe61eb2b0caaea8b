package api_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/api/apitest"
)

func TestBadInput_ADatasetBeyondTheBoundIsCutWhileItIsRead(t *testing.T) {
	s := apitest.Start(t)
	s.Keys.Change(s.Tenant, func(terms *cellwall.Terms) { terms.Ceiling.InputBytes = 1 << 20 })
	apitest.DemandProblem(t, "announced", s.Call(t, "POST", "/v1/datasets", s.Key, strings.Repeat("x", 3<<20), "Content-Type", "text/csv"), 413, "too_large")
	var read atomic.Int64 // the transport goes on reading behind an answer
	body := readerFunc(func(p []byte) (int, error) { read.Add(int64(len(p))); clear(p); return len(p), nil })
	a, err := s.Try(t, "POST", "/v1/datasets", s.Key, struct{ io.Reader }{io.LimitReader(body, 1<<30)}, "Content-Type", "text/csv")
	if err == nil {
		apitest.DemandProblem(t, "in chunks", a, 413, "too_large")
	}
	if read.Load() > 64<<20 {
		t.Errorf("%d bytes were taken of a dataset that may have 1 MiB", read.Load())
	}
	if l := apitest.Into[apitest.List[apitest.Listed]](t, s.Call(t, "GET", "/v1/datasets", s.Key, ""), 200); len(l.Items) != 0 {
		t.Errorf("left behind: %+v", l.Items)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestM42_RefusedCallsAreRecorded(t *testing.T) {
	s := apitest.Start(t)
	s.Keys.Limited = func(cellwall.Identity) error {
		return &cellwall.Error{Code: cellwall.CodeRateLimited, Op: "count request", Err: io.EOF, RetryAfter: 1500 * time.Millisecond}
	}
	a := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`)
	apitest.DemandProblem(t, "rate", a, 429, "rate_limited")
	if got := a.Header.Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q", got)
	}
	for range 50 {
		s.Call(t, "GET", "/v1/executions", "e2b_nothing", "")
	}
	for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.Records(t), "unauthenticated"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("strangers are not recorded")
		}
	}
	records := s.Records(t)
	if n := strings.Count(records, `"code":"unauthenticated"`); n > 5 || !strings.Contains(records, `"code":"rate_limited"`) {
		t.Errorf("%d records of 50 strangers: %s", n, records)
	}
}

func TestM42_APanicIsAProblemAndNotTheEnd(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Environments = nil; o.Executions = broken{} })
	apitest.DemandProblem(t, "panic", s.Call(t, "GET", "/v1/executions", s.Key, ""), 500, "internal")
	if a := s.Call(t, "GET", "/healthz", "", ""); a.Status != 200 {
		t.Errorf("afterwards it is %d", a.Status)
	}
}

// broken is a room with a fault.
type broken struct{ api.Background }

func (broken) Execution(context.Context, string, string) (k cellwall.KeptExecution, err error) {
	return k, err
}

func (broken) ResultBytes(context.Context, string, string) (int64, error) { return 0, nil }

func (broken) Executions(context.Context, string, cellwall.Page) ([]cellwall.KeptExecution, string, error) {
	panic("a fault at /var/lib/cellwall")
}
