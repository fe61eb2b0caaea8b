package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/cellwall/cellwall"
)

// collector receives traces over HTTP, as OTLP.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []byte
	spans  map[string][]string // names by trace
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: map[string][]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message collected.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &message) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, body...)
	for _, of := range message.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				id := hex.EncodeToString(s.GetTraceId())
				c.spans[id] = append(c.spans[id], s.GetName())
			}
		}
	}
}

func (c *collector) of(trace string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spans[trace]
}

func TestTraces_show_the_stages_of_an_execution_of_the_service(t *testing.T) {
	c := collect(t)
	t.Setenv("CELLWALL_SERVE_OTLP_ENDPOINT", c.URL)
	t.Setenv("CELLWALL_SERVE_OTLP_RATIO", "0")
	s := fakeService(t)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://local/v1/executions", strings.NewReader(execution("out hello")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	res, err := s.local().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("traceresponse"), "00-"+trace+"-") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out hello"), "Prefer", "respond-async", "traceparent", "00-1"+trace[1:]+"-b7ad6b7169203331-01")
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	s.await("no spans of work that nobody waits for", func() bool {
		return slices.Contains(c.of("1"+trace[1:]), "destroy") // the last one to end is execution, with it
	})
	if code := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	got := c.of(trace)
	for _, want := range []string{"POST /v1/executions", "execution", "admit", "enter", "check", "context", "claim", "run", "end", "harvest", "observe", "record", "destroy"} {
		if n := strings.Count(" "+strings.Join(got, "| ")+"|", " "+want+"|"); n != 1 {
			t.Errorf("%d spans %q in %q", n, want, got)
		}
	}
	if len(c.spans) != 2 {
		t.Errorf("%d traces of two callers who asked for one", len(c.spans))
	}
	if !strings.Contains(s.said(), "trace_id="+trace) {
		t.Error("the log does not name the trace")
	}
}

// A program that is part of a trace, as OpenTelemetry hands it on, has its
// execution in it.
func TestRun_hands_its_trace_to_the_service(t *testing.T) {
	c := collect(t)
	t.Setenv("CELLWALL_SERVE_OTLP_ENDPOINT", c.URL)
	s := fakeService(t)
	const trace = "2af7651916cd43dd8448eb211c80319c"
	run := exec.CommandContext(t.Context(), os.Args[0], "run", "--server", "unix:"+filepath.Join(s.state, socketName), "-c", "out hello")
	run.Env = append(os.Environ(), "CELLWALL_TEST_AS=cellwall-fake", "CELLWALL_STATE_DIR="+shortDir(t), "TRACEPARENT=00-"+trace+"-b7ad6b7169203331-01")
	if said, err := run.CombinedOutput(); err != nil || !strings.Contains(string(said), "hello") {
		t.Fatalf("%v: %s", err, said)
	}
	s.await("the service does not know the trace", func() bool { return slices.Contains(c.of(trace), "run") })
}

// secrets posts a word wherever a caller can put one that is code or data, and
// returns how many requests that were.
func (s *served) secrets(word string) (n int) {
	s.t.Helper()
	send := func(want int, method, path, body string, headers ...string) string {
		n++
		status, text := call(s.t, s.local(), method, "http://local"+path, body, headers...)
		if status != want && want != 0 {
			s.t.Errorf("%s %s: %d %s, want %d", method, strings.ReplaceAll(path, word, "…"), status, text, want)
		}
		return text
	}
	code := fmt.Sprintf("import sys\nprint('%[1]s')\nprint('%[1]s', file=sys.stderr)\nopen('/workspace/output/%[1]s.txt','w').write('%[1]s')\nraise ValueError('%[1]s')", word)
	send(200, "POST", "/v1/executions", fmt.Sprintf(`{"code":%q,"purpose":%q,"metadata":{"k":%q},"expected_artifacts":[%q]}`, code, word, word, word+".png"))
	send(200, "POST", "/v1/executions", fmt.Sprintf(`{"code":%q}`, "print(input())\n"+word+" ="))
	send(200, "POST", "/v1/executions", execution(word+"\x00"))
	send(0, "POST", "/v1/executions", fmt.Sprintf(`{"code":"1","%s":1}`, word))
	send(400, "POST", "/v1/executions", `{"code":"`+word)
	send(0, "POST", "/v1/executions", fmt.Sprintf(`{"code":"1","environment":%q}`, word))
	send(0, "POST", "/v1/executions", fmt.Sprintf(`{"code":"1","datasets":[%q]}`, word))
	for name, content := range map[string]string{
		word + ".csv": "a,b\n1," + word + "\n", word + ".xlsx": "PK\x03\x04" + word, word + ".parquet": "PAR1" + word, "a\n" + word + ".csv": word, "../" + word: word,
	} {
		form, media := withFile(s.t, name, content, fmt.Sprintf(`{"code":%q}`, "print(dfs)"))
		send(0, "POST", "/v1/executions", form, "Content-Type", media)
		form, media = withFile(s.t, name, content, "")
		send(0, "POST", "/v1/datasets", form, "Content-Type", media)
	}
	send(0, "POST", "/v1/uploads", fmt.Sprintf(`{"name":%q,"size":4}`, word+".csv"))
	send(0, "POST", "/execute", fmt.Sprintf(`{"code":%q,"task_id":%q}`, "print('"+word+"')", word))
	send(404, "GET", "/v1/"+word+"?q="+word, "")
	send(404, "GET", "/v1/executions/"+word, "")
	send(404, "GET", "/v1/sessions/"+word+"/files/"+word, "")
	send(0, "GET", "/v1/executions?after="+word, "")
	send(0, word, "/v1/executions", "")
	send(0, "POST", "/v1/executions", execution("1"), "Idempotency-Key", word, "Cookie", word, "User-Agent", word, "Tracestate", "v="+word, "Baggage", "v="+word)
	send(202, "POST", "/v1/executions", execution("print('"+word+"')"), "Prefer", "respond-async")
	session := regexp.MustCompile(`sess_[a-z2-7]{26}`).FindString(send(0, "POST", "/v1/sessions", `{}`))
	send(200, "POST", "/v1/sessions/"+session+"/executions", execution(code))
	send(0, "PUT", "/v1/sessions/"+session+"/files/"+word+".txt", word)
	send(200, "POST", "/v1/sessions/"+session+"/executions", execution("import os\nos.kill(os.getpid(), 9) # "+word))
	send(0, "DELETE", "/v1/sessions/"+session, "")
	n++
	if status, _ := call(s.t, http.DefaultClient, "POST", s.tcp+"/v1/executions", execution(word), "X-API-Key", "e2b_"+word); status != 401 {
		s.t.Errorf("a wrong key: %d", status)
	}
	return n
}

// withFile is a form with a file, and a request unless that is "".
func withFile(t *testing.T, name, content, request string) (body, media string) {
	t.Helper()
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	if request != "" {
		if err := form.WriteField("request", request); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), form.FormDataContentType()
}

// What a caller sends as code or data is in no line of the log, however much that
// says, in no trace and in no metric. The records and the tenant's own store keep
// it; those are not read by whoever watches the service.
func TestLog_holds_no_code_and_no_data_neither_do_traces_and_metrics(t *testing.T) {
	word := "sesame" + strings.ReplaceAll(cellwall.NewID("x"), "_", "")
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			c := collect(t)
			t.Setenv("CELLWALL_SERVE_OTLP_ENDPOINT", c.URL)
			t.Setenv("CELLWALL_SERVE_OTLP_RATIO", "1")
			t.Setenv("CELLWALL_SERVE_LOG__LEVEL", "debug")
			t.Setenv("CELLWALL_SERVE_LOG__FORMAT", format)
			t.Setenv("CELLWALL_SERVE_METRICS__TENANTS", "true")
			s := realService(t)
			sent := s.secrets(word)
			time.Sleep(100 * time.Millisecond) // work that nobody waits for
			_, metrics := call(t, s.local(), "GET", "http://local/metrics", "")
			if code := s.end(syscall.SIGTERM); code != 0 {
				t.Errorf("it ended with %d", code)
			}
			for _, line := range strings.Split(s.said(), "\n") {
				if strings.Contains(line, word) {
					t.Errorf("the log: %s", line)
				}
			}
			for _, line := range strings.Split(metrics, "\n") {
				if strings.Contains(line, word) {
					t.Errorf("a metric: %s", line)
				}
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if at := bytes.Index(c.bodies, []byte(word)); at >= 0 {
				t.Errorf("a trace: %q", c.bodies[max(0, at-200):at+len(word)])
			}
			if lines := len(regexp.MustCompile(`request_id"?[=:]"?req_`).FindAllString(s.said(), -1)); lines < sent || len(c.spans) < sent-2 || !strings.Contains(metrics, `cellwall_executions_total{cause="exception",status="error"}`) {
				t.Errorf("%d requests, %d lines with an id, %d traces", sent, lines, len(c.spans))
			}
		})
	}
}

func TestLog_holds_code_where_the_operator_asks_for_it(t *testing.T) {
	t.Setenv("CELLWALL_SERVE_LOG__CODE", "true")
	s := fakeService(t)
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out sesame")); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	line := regexp.MustCompile(`(?m)level=INFO msg=execution execution=exec_\S+ request_id=req_\S+ tenant=local status=ok .* code="out sesame"$`)
	s.await("no line holds the code", func() bool { return line.MatchString(s.said()) })
}

func TestOTLPSettings(t *testing.T) {
	for _, c := range []struct {
		key   string
		value any
		good  bool
	}{
		{"otlp_endpoint", "http://127.0.0.1:4318", true},
		{"otlp_endpoint", "127.0.0.1:4318", false},
		{"otlp_endpoint", "grpc://a", false},
		{"otlp_ratio", 0, true},
		{"otlp_ratio", "0.25", true},
		{"otlp_ratio", 1.5, false},
		{"otlp_ratio", -1, false},
		{"otlp_ratio", "NaN", false},
	} {
		if _, err := loadSettings("", nil, map[string]any{c.key: c.value}); (err == nil) != c.good {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
		}
	}
}
