package telemetry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/cellwall/cellwall"
)

// full returns metrics with a value in each figure.
func full(o Options) *Metrics {
	m := NewMetrics(o)
	m.Ask(Rooms{
		Queue: func() Queue {
			return Queue{
				Servers: 3, Wanted: 4, Running: 2, Waiting: 5, Tenants: 1, Admitted: 10, Full: 1, Shed: 2, Left: 3,
				Arrival: 2.5, Admission: 2, Service: 1, Predicted: 444 * time.Millisecond, Corrected: 222 * time.Millisecond, Seen: 250 * time.Millisecond,
			}
		},
		Pools: func() []Pool {
			return []Pool{{Environment: "python-data-basic", Ready: 2, Target: 4, Claims: 9, Misses: 1}, {Claims: 3}, {Environment: "python-data-basic", Session: true}}
		},
		Store:    func() Batches { return Batches{Batches: 2, Entries: 7, Took: 3 * time.Millisecond} },
		Audit:    func() Batches { return Batches{Batches: 1, Entries: 6, Took: 2 * time.Millisecond} },
		Webhooks: func() Webhooks { return Webhooks{Taken: 4, Retried: 2, GivenUp: 1, Lost: 1} },
		Spans:    func() Spans { return Spans{Sent: 11, Lost: 12} },
	})
	m.Began()
	m.Began()
	m.Answered(Request{Route: "/v1/executions", Method: "POST", Status: 200, Took: 3 * time.Millisecond, Tenant: "tnt_a"})
	m.Executed(Execution{
		Tenant: "tnt_a", Status: cellwall.StatusMemoryLimit, Cause: cellwall.CauseOOM,
		Refused: []cellwall.Refusal{{Call: "socket(AF_INET)", Count: 2}, {Call: "ptrace", Count: 1}},
	})
	m.Executed(Execution{Tenant: "tnt_b", Status: cellwall.StatusRefused, Cause: cellwall.CausePolicy, Refusal: cellwall.CodeBusy})
	m.Executed(Execution{Tenant: "tnt_b", Status: cellwall.StatusOK})
	m.Between("tnt_b", 1500*time.Millisecond)
	m.Stage("run", 2*time.Millisecond)
	m.Forked(true, 4*time.Millisecond)
	return m
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %s", w.Code, w.Header())
	}
	return w.Body.String()
}

func TestMetrics_say_what_happened_and_what_the_rooms_know(t *testing.T) {
	said := scrape(t, full(Options{Version: "1.2.3", Revision: "abc"}))
	for _, line := range []string{
		`cellwall_build_info{revision="abc",version="1.2.3"} 1`,
		`cellwall_http_requests_total{method="POST",route="/v1/executions",status="2xx"} 1`,
		`cellwall_http_request_duration_seconds_count{method="POST",route="/v1/executions"} 1`,
		`cellwall_http_request_duration_seconds_bucket{method="POST",route="/v1/executions",le="0.005"} 1`,
		`cellwall_http_requests_in_flight 1`,
		`cellwall_executions_total{cause="oom_kill",status="memory_limit"} 1`,
		`cellwall_executions_total{cause="none",status="ok"} 1`,
		`cellwall_turned_away_total{code="busy"} 1`,
		`cellwall_between_cells_cpu_seconds_total 1.5`,
		`cellwall_refused_calls_total{call="socket"} 2`,
		`cellwall_refused_calls_total{call="ptrace"} 1`,
		`cellwall_stage_duration_seconds_count{stage="run"} 1`,
		`cellwall_warm_fork_duration_seconds_sum{ahead="true"} 0.004`,
		`cellwall_queue_waiting 5`, `cellwall_queue_lambda 2`, `cellwall_queue_mu 1`, `cellwall_queue_servers 3`,
		`cellwall_queue_predicted_wait_seconds{model="raw"} 0.444`,
		`cellwall_queue_predicted_wait_seconds{model="corrected"} 0.222`,
		`cellwall_queue_seen_wait_seconds 0.25`,
		`cellwall_queue_refused_total{why="shed"} 2`,
		`cellwall_pool_ready{environment="python-data-basic",session="false"} 2`,
		`cellwall_pool_target{environment="python-data-basic",session="false"} 4`,
		`cellwall_pool_misses_total{environment="python-data-basic",session="false"} 1`,
		`cellwall_pool_claims_total{environment="none",session="false"} 3`,
		`cellwall_store_writes_total 7`, `cellwall_store_commit_seconds_total 0.003`,
		`cellwall_audit_batches_total 1`, `cellwall_audit_writes_total 6`,
		`cellwall_webhook_deliveries_total{outcome="given_up"} 1`,
		`cellwall_events_lost_total 1`,
		`cellwall_trace_spans_total{outcome="lost"} 12`,
	} {
		if !strings.Contains(said, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(said, "tnt_") {
		t.Error("a tenant is named though nobody asked for that")
	}
}

func TestMetrics_have_names_as_Prometheus_wants_them(t *testing.T) {
	gathered, err := full(Options{Tenants: true}).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(gathered).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// The list in doc.go is what an operator reads: it names each metric, and none
// that there is not.
func TestMetrics_are_listed_in_the_specification(t *testing.T) {
	listed, there := inSpecification(t), map[string]bool{}
	gathered, err := full(Options{Tenants: true}).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range gathered {
		name := f.GetName()
		if !strings.HasPrefix(name, "cellwall_") {
			continue
		}
		there[name] = true
		if !listed[name] {
			t.Errorf("%s is not listed", name)
		}
	}
	for name := range listed {
		if !there[name] {
			t.Errorf("%s is listed and not there", name)
		}
	}
}

func TestLabels_are_bounded_whatever_a_caller_and_a_program_make_up(t *testing.T) {
	m := NewMetrics(Options{Tenants: true})
	for i := range 5000 {
		made := fmt.Sprintf("made_up_%d", i)
		m.Began()
		m.Between(made, time.Millisecond)
		m.Answered(Request{Method: strings.ToUpper(made), Status: 100000 + i})
		m.Executed(Execution{Tenant: made, Status: cellwall.StatusOK, Cause: cellwall.Cause(fmt.Sprintf("exit:%d", i)), Refused: []cellwall.Refusal{
			{Call: fmt.Sprintf("ioctl(0x%x)", i), Count: 1}, {Call: fmt.Sprintf("syscall_%d", i), Count: 1}, {Call: "no name\n", Count: 1}, {Call: made, Count: 1},
		}})
	}
	for name, most := range map[string]int{
		"cellwall_http_requests_total": 1, "cellwall_executions_total": 1, "cellwall_refused_calls_total": maxCalls + 1, "cellwall_tenant_executions_total": maxTenants + 1,
		"cellwall_tenant_between_cells_cpu_seconds_total": maxTenants + 1,
	} {
		if n := series(t, m, name); n > most || n == 0 {
			t.Errorf("%s has %d series, want at most %d", name, n, most)
		}
	}
	said := scrape(t, m)
	for _, line := range []string{
		`cellwall_http_requests_total{method="other",route="none",status="other"} 5000`,
		`cellwall_refused_calls_total{call="ioctl"} 5000`,
		`cellwall_tenant_executions_total{status="ok",tenant="other"} 4000`,
	} {
		if !strings.Contains(said, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
}

func series(t *testing.T, m *Metrics, name string) int {
	t.Helper()
	gathered, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range gathered {
		if f.GetName() == name {
			return len(f.GetMetric())
		}
	}
	return 0
}

func TestMetrics_count_while_others_read(t *testing.T) {
	m := full(Options{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				m.Began()
				m.Answered(Request{Route: "/readyz", Method: http.MethodGet, Status: 200})
				m.Executed(Execution{Status: cellwall.StatusOK, Refused: []cellwall.Refusal{{Call: "bpf", Count: 1}}})
			}
			scrape(t, m)
		})
	}
	all.Wait()
	if said := scrape(t, m); !strings.Contains(said, `{method="GET",route="/readyz",status="2xx"} 400`) {
		t.Error(said)
	}
}

var metricName = regexp.MustCompile(`cellwall_[a-z_]+[a-z]`)

func inSpecification(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, line := range strings.Split(specification(t), "\n") {
		if strings.HasPrefix(line, "//\tcellwall_") {
			names[metricName.FindString(line)] = true
		}
	}
	return names
}
