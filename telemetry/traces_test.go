package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func open(t *testing.T, o TraceOptions) *Traces {
	t.Helper()
	tr, err := OpenTraces(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// ask is a request with a traceparent, unless that is "".
func ask(path, parent string) *http.Request {
	r := httptest.NewRequest("POST", path, nil)
	if parent != "" {
		r.Header.Set("traceparent", parent)
		r.Header.Set("tracestate", "vendor=secret")
	}
	return r
}

const (
	callers = "0af7651916cd43dd8448eb211c80319c"
	asked1  = "00-" + callers + "-b7ad6b7169203331-01" // its caller traces it
	asked0  = "00-" + callers + "-b7ad6b7169203331-00" // and does not
)

func TestTraces_arrive_as_OTLP_below_the_span_of_their_caller(t *testing.T) {
	c := collect(t)
	tr := open(t, TraceOptions{Endpoint: c.URL, Version: "1.2.3", Instance: "here"})
	answer := http.Header{}
	ctx, done := tr.Request(answer, ask("/v1/executions", asked1))
	whole, wholeDone := tr.Stage(ctx, "execution")
	_, run := tr.Stage(whole, "run")
	time.Sleep(2 * time.Millisecond)
	run(&cellwall.Error{Code: cellwall.CodeBusy, Op: "open secret.csv", Err: errors.New("secret")})
	wholeDone(nil)
	done(Request{ID: "req_x", Route: "/v1/executions", Method: "POST", Tenant: "tnt_a", Status: 503})
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	got := c.got()
	root, execution, stage := got["POST /v1/executions"], got["execution"], got["run"]
	if len(got) != 3 || root.trace != callers || root.parent != "b7ad6b7169203331" || execution.parent != root.id || stage.parent != execution.id || stage.trace != callers {
		t.Errorf("%+v", got)
	}
	if root.kind != "SPAN_KIND_SERVER" || root.attributes["http.route"] != "/v1/executions" || root.attributes["cellwall.request_id"] != "req_x" || !root.failed {
		t.Errorf("%+v", root)
	}
	if stage.status != "busy" || !stage.failed || stage.took < 2*time.Millisecond || execution.failed {
		t.Errorf("%+v %+v", stage, execution)
	}
	if want := "00-" + callers + "-" + root.id + "-01"; answer.Get("traceresponse") != want {
		t.Errorf("answered %q, want %q", answer.Get("traceresponse"), want)
	}
	if c.resource["service.name"] != "cellwall" || c.resource["service.version"] != "1.2.3" || c.resource["service.instance.id"] != "here" {
		t.Errorf("%v", c.resource)
	}
	if bytes.Contains(c.bodies, []byte("secret")) {
		t.Error("a trace holds the text of an error, or what a caller wrote")
	}
	if s := tr.Spans(); s != (Spans{Sent: 3}) {
		t.Errorf("%+v", s)
	}
}

func TestTraces_go_on_when_their_request_was_answered_before(t *testing.T) {
	c := collect(t)
	tr := open(t, TraceOptions{Endpoint: c.URL})
	ctx, done := tr.Request(http.Header{}, ask("/v1/executions", asked1))
	done(Request{Route: "/v1/executions", Method: "POST", Status: 202})
	ctx, execution := tr.Stage(context.WithoutCancel(ctx), "execution")
	_, run := tr.Stage(ctx, "run")
	run(nil)
	execution(nil)
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if got := c.got(); got["run"].parent != got["execution"].id || got["execution"].parent != got["POST /v1/executions"].id || got["run"].trace != callers {
		t.Errorf("%+v", got)
	}
}

func TestTraces_follow_the_caller_and_sample_the_rest(t *testing.T) {
	for name, c := range map[string]struct {
		ratio  float64
		parent string
		path   string
		want   int64
	}{
		"the caller traces":      {0, asked1, "/v1/executions", 200},
		"the caller does not":    {1, asked0, "/v1/executions", 0},
		"nobody decided, all":    {1, "", "/v1/executions", 200},
		"nobody decided, none":   {0, "", "/v1/executions", 0},
		"a parent that is none":  {0, "00-secret-01", "/v1/executions", 0},
		"two at once":            {0, asked1 + ", " + asked1, "/v1/executions", 0},
		"a probe of health":      {1, asked1, "/readyz", 0},
		"half of them, about 50": {0.5, "", "/v1/executions", -1},
	} {
		t.Run(name, func(t *testing.T) {
			to := collect(t)
			tr := open(t, TraceOptions{Endpoint: to.URL, Ratio: c.ratio})
			for range 100 {
				ctx, done := tr.Request(http.Header{}, ask(c.path, c.parent))
				if c.path == "/v1/executions" {
					_, end := tr.Stage(ctx, "run")
					end(nil)
				}
				done(Request{Route: c.path, Method: "POST", Status: 200})
			}
			if err := tr.Close(); err != nil {
				t.Fatal(err)
			}
			got := tr.Spans()
			if c.want >= 0 && got.Sent != c.want || c.want < 0 && (got.Sent < 40 || got.Sent > 160 || got.Sent%2 != 0) || got.Lost != 0 {
				t.Errorf("%+v, want %d", got, c.want)
			}
		})
	}
}

func TestTraces_a_collector_that_hangs_or_is_gone_holds_nobody_up(t *testing.T) {
	hanging := collect(t)
	hanging.hold = make(chan struct{})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, url := range map[string]string{"hangs": hanging.URL, "is gone": gone.URL} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			tr := open(t, TraceOptions{Endpoint: url, Ratio: 1, Queue: 64, Every: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			longest := time.Duration(0)
			for range 10_000 {
				began := time.Now()
				_, end := tr.Stage(context.Background(), "run")
				end(nil)
				longest = max(longest, time.Since(began))
			}
			if longest > time.Second {
				t.Errorf("a stage waited %v", longest)
			}
			if s := tr.Spans(); s.Lost < 10_000-64-1 || s.Sent != 0 {
				t.Errorf("%+v: more than the queue waits", s)
			}
			began := time.Now()
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > 2*lastWords {
				t.Errorf("the end took %v", took)
			}
		})
	}
	close(hanging.hold)
}

func TestTraces_that_are_off_do_nothing(t *testing.T) {
	var tr *Traces
	ctx, done := tr.Request(nil, ask("/v1/executions", asked1))
	if n := testing.AllocsPerRun(100, func() {
		_, end := tr.Stage(ctx, "run")
		end(nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	done(Request{})
	if err := tr.Close(); err != nil || tr.Spans() != (Spans{}) {
		t.Error(err)
	}
}

func TestTraces_are_named_in_the_log_of_their_request(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(Traced(slog.NewTextHandler(&log, nil))).With("part", "api")
	tr := open(t, TraceOptions{Endpoint: collect(t).URL})
	for parent, want := range map[string]bool{asked1: true, asked0: false, "": false} {
		log.Reset()
		ctx, done := tr.Request(http.Header{}, ask("/v1/executions", parent))
		logger.InfoContext(ctx, "call")
		done(Request{})
		if got := strings.Contains(log.String(), "trace_id="+callers); got != want {
			t.Errorf("%q: %s", parent, log.String())
		}
	}
}

func TestCheckEndpoint(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://127.0.0.1:4318": "http://127.0.0.1:4318/v1/traces", "https://a.example/": "https://a.example/v1/traces",
		"https://a.example/otlp/v1/traces": "https://a.example/otlp/v1/traces", "http://[::1]:4318": "http://[::1]:4318/v1/traces",
		"": "", "127.0.0.1:4318": "", "ftp://a.example": "", "http://": "", "http://me:secret@a.example": "", "http://a.example/?key=secret": "", "http://a b": "",
	} {
		got, err := tracesURL(endpoint)
		if got != want || (err == nil) != (want != "") || (CheckEndpoint(endpoint) == nil) != (want != "") {
			t.Errorf("%q: %q, %v", endpoint, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the secret: %v", err)
		}
	}
	if _, err := OpenTraces(t.Context(), TraceOptions{Endpoint: "collector"}); err == nil {
		t.Error("opened nowhere")
	}
}

// What metrics and traces add to one request with an execution, all stages
// counted: the bound that the service promises is 20 µs without traces.
func BenchmarkRequest(b *testing.B) {
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer to.Close()
	stages := []string{"admit", "enter", "check", "context", "claim", "run", "end", "harvest", "observe", "record", "destroy"}
	for _, ratio := range []float64{-1, 0, 0.1, 1} {
		name := fmt.Sprintf("traced=%v", ratio)
		var tr *Traces
		if ratio < 0 {
			name = "metrics"
		} else {
			var err error
			if tr, err = OpenTraces(b.Context(), TraceOptions{Endpoint: to.URL, Ratio: ratio}); err != nil {
				b.Fatal(err)
			}
		}
		m := NewMetrics(Options{})
		r := ask("/v1/executions", "")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Began()
				ctx, done := tr.Request(http.Header{}, r)
				ctx, whole := tr.Stage(ctx, "execution")
				for _, s := range stages {
					began := time.Now()
					_, end := tr.Stage(ctx, s)
					end(nil)
					m.Stage(s, time.Since(began))
				}
				whole(nil)
				m.Stage("execution", time.Millisecond)
				m.Executed(Execution{Tenant: "tnt_a", Status: cellwall.StatusOK})
				done(Request{ID: "req_x", Route: "/v1/executions", Method: "POST", Status: 200})
				m.Answered(Request{ID: "req_x", Route: "/v1/executions", Method: "POST", Status: 200, Took: time.Millisecond})
			}
		})
		if err := tr.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
