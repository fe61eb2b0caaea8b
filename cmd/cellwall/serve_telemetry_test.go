package main

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/telemetry"
)

var metricsAt = regexp.MustCompile(`msg=metrics address=(\S+)`)

// metrics scrapes the address of the log.
func (s *served) metrics() string {
	s.t.Helper()
	at := metricsAt.FindStringSubmatch(s.said())
	if at == nil {
		s.t.Fatal("it does not say where its metrics are")
	}
	status, text := call(s.t, http.DefaultClient, "GET", at[1], "")
	if status != 200 {
		s.t.Fatalf("%s: %d %s", at[1], status, text)
	}
	return text
}

func TestServe_metrics_count_what_was_asked_ran_and_was_written(t *testing.T) {
	s := fakeService(t, "--metrics-listen", "127.0.0.1:0")
	for _, code := range []string{"out hello", "out hello", "end memory_limit oom_kill"} {
		if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution(code)); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, _ := call(t, http.DefaultClient, "GET", s.tcp+"/no/such/path", ""); status != 404 {
		t.Fatalf("%d", status)
	}
	said := s.metrics()
	for _, line := range []string{
		`cellwall_http_requests_total\{method="POST",route="/v1/executions",status="2xx"\} 3`,
		`cellwall_http_requests_total\{method="GET",route="none",status="4xx"\} 1`,
		`cellwall_http_requests_in_flight 0`,
		`cellwall_executions_total\{cause="none",status="ok"\} 2`,
		`cellwall_executions_total\{cause="oom_kill",status="memory_limit"\} 1`,
		`cellwall_stage_duration_seconds_count\{stage="claim"\} 3`,
		`cellwall_stage_duration_seconds_count\{stage="record"\} 3`,
		`cellwall_warm_fork_duration_seconds_count\{ahead="true"\} [1-9]`,
		`cellwall_queue_admitted_total 3`,
		`cellwall_queue_servers [1-9]`,
		`cellwall_pool_ready\{environment="python-data-basic",session="false"\} [0-9]`,
		`cellwall_pool_target\{environment="python-data-basic",session="false"\} [1-9]`,
		`cellwall_pool_claims_total\{environment="python-data-basic",session="false"\} 3`,
		`cellwall_audit_writes_total [3-9]`,
		`cellwall_audit_commit_seconds_total [0-9.e-]*[1-9]`,
		`cellwall_store_writes_total [1-9]`,
		`cellwall_webhook_deliveries_total\{outcome="taken"\} 0`,
		`cellwall_build_info\{`,
		`go_goroutines [1-9]`,
	} {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(said) {
			t.Errorf("missing: %s", line)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}

func TestServe_metrics_are_for_auditors_and_for_this_host(t *testing.T) {
	s := fakeService(t, "--metrics-listen", "127.0.0.1:0")
	if status, text := call(t, http.DefaultClient, "GET", s.tcp+"/metrics", ""); status != 401 {
		t.Errorf("through TCP without a key: %d %s", status, text)
	}
	if status, text := call(t, s.local(), "GET", "http://local/metrics", ""); status != 200 || !strings.Contains(text, "cellwall_build_info") {
		t.Errorf("at the socket: %d %s", status, text)
	}
	s.metrics()
	at := metricsAt.FindStringSubmatch(s.said())[1]
	for host, want := range map[string]int{"localhost:1": 200, "[::1]": 200, "127.0.0.1": 200, "evil.example": 403, "evil.example:80": 403, "10.0.0.1": 403} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("called %s: %d, want %d", host, res.StatusCode, want)
		}
	}
	if status, _ := call(t, http.DefaultClient, "GET", strings.TrimSuffix(at, "/metrics")+"/v1/audit", ""); status != 404 {
		t.Errorf("other routes beside /metrics: %d", status)
	}
}

func TestPooled_sums_what_has_one_name(t *testing.T) {
	small, large := cellwall.Limits{Processes: 1}, cellwall.Limits{Processes: 2}
	got := pooled(map[pool.Kind]pool.Stats{
		{}: {Counts: pool.Counts{Claimed: 1, Direct: 1}},
		{Environment: "a@sha256:00", Class: small}:  {Ready: 1, Target: 2, Counts: pool.Counts{Claimed: 3}},
		{Environment: "a@sha256:11", Class: large}:  {Ready: 2, Target: 2, Counts: pool.Counts{Claimed: 4, CloseFailed: 1}},
		{Environment: "a@sha256:11", Session: true}: {Filling: 1},
	})
	want := map[telemetry.Pool]bool{
		{Claims: 1, Misses: 1}: true, {Environment: "a", Ready: 3, Target: 4, Claims: 7, CloseFailed: 1}: true, {Environment: "a", Session: true, Filling: 1}: true,
	}
	for _, p := range got {
		if !want[p] {
			t.Errorf("%+v", p)
		}
		delete(want, p)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestMetricsListen_is_for_loopback_only(t *testing.T) {
	for address, good := range map[string]bool{"127.0.0.1:9100": true, "[::1]:9100": true, "localhost:9100": true, "0.0.0.0:9100": false, ":9100": false, "10.0.0.1:9100": false, "x": false} {
		_, err := loadSettings("", os.Environ(), map[string]any{"metrics_listen": address})
		if (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}
