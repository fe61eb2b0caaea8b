package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/agent"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/internal/testkit"
)

// endpoint is an endpoint that says what a model once said, or what a bad one might.
type endpoint struct {
	t       *testing.T
	url     string
	mu      sync.Mutex
	replies []said
	heard   []heardRequest
}

// said is one reply: text, or calls as "tool {arguments}".
type said struct {
	text  string
	calls []string
}

// heardRequest is what the endpoint was sent.
type heardRequest struct {
	Model    string
	Messages []struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
	}
	Tools []struct{ Function struct{ Name string } }
}

// offered are the names of the tools in a request.
func (h heardRequest) offered() (names []string) {
	for _, t := range h.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

func script(t *testing.T, replies ...said) *endpoint {
	s := &endpoint{t: t, replies: replies}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/v1"
	return s
}

func (s *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked heardRequest
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/chat/completions" {
		s.t.Errorf("the endpoint was asked %s: %v", r.URL.Path, err)
	}
	s.heard = append(s.heard, asked)
	if len(s.replies) == 0 {
		http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
		return
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any) {
		raw, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}})
		if err != nil {
			s.t.Error(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	for _, word := range strings.SplitAfter(reply.text, " ") {
		send(map[string]any{"content": word})
	}
	for i, call := range reply.calls {
		name, arguments, _ := strings.Cut(call, " ")
		id := fmt.Sprintf("c%d_%d", len(s.heard), i)
		send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": ""}}}})
		for part := range slices.Chunk([]rune(arguments), 40) { // in pieces, as endpoints do
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": string(part)}}}})
		}
	}
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"total_tokens\":100}}\n\ndata: [DONE]\n\n")
}

// askedResult is what "cellwall ask --json" printed, and its exit status.
type askedResult struct {
	agent.Answer
	code  int
	raw   string
	state string // the directory
}

// askIt runs the verb against a script.
func askIt(t *testing.T, s *endpoint, set func(*askVerb)) askedResult {
	t.Helper()
	testkit.RequireRoot(t)
	state := t.TempDir()
	linkEnvironments(t, state)
	t.Setenv("OPENAI_BASE_URL", s.url)
	v := askVerb{
		Question: "利润最高的区域", Data: []string{"../../testdata/cases/orders_zh.csv"}, Model: "scripted", JSON: true, Lang: "en",
		MaxRuns: 12, MaxFailures: 4, MaxTokens: 200_000, Env: defaultEnvironment, QueryEnv: "none", Backend: defaultBackend,
	}
	set(&v)
	out, err := os.Create(filepath.Join(state, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := newProgram()
	p.stdout = newScreen(out)
	a := askedResult{state: state}
	if err := v.Run(t.Context(), p, &config{StateDir: state}); err != nil {
		a.code = exitOf(err)
		var ended status
		if errors.As(err, &ended) {
			a.code = int(ended)
		} else {
			t.Log(err)
		}
	}
	raw, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if a.raw = string(raw); a.raw != "" {
		if err := json.Unmarshal(raw, &a.Answer); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
	}
	return a
}

func TestM6_AnAnswerHasItsNumbersFromExecutions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.jsonl"), []byte("an older one"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := script(t,
		said{calls: []string{"inspect_data {}"}},
		said{calls: []string{`make_chart {"kind":"bar","x":"区域","y":"利润","sort":"-value"}`}},
		said{text: "华东最高，利润 637,784.46，占 29%；第二是华南 47.8 万。预计明年 999999.5。"},
	)
	a := askIt(t, s, func(v *askVerb) { v.Out, v.Transcript = dir, filepath.Join(dir, "t.jsonl") })
	if a.code != 0 || a.Ended != agent.EndedAnswered || len(a.Executions) != 2 || a.Tokens != 300 {
		t.Fatalf("%d %s", a.code, a.raw)
	}
	given := map[string]bool{}
	for _, source := range a.Sources {
		given[source.Number] = source.Given
		if source.Given && source.Execution != a.Executions[1] {
			t.Errorf("%s comes from %s", source.Number, source.Execution)
		}
	}
	if !given["637,784.46"] || !given["47.8 万"] || given["999999.5"] || len(given) != 4 {
		t.Errorf("sources %+v", a.Sources)
	}
	if !slices.ContainsFunc(a.Limits, func(l string) bool { return strings.Contains(l, "missing") }) {
		t.Errorf("limits of the data: %q", a.Limits)
	}
	if _, err := os.Stat(filepath.Join(dir, "chart.png")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "t.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the transcript: %v, %v", info, err)
	}
	offers := [][]string{{"inspect_data"}, {"inspect_data", "make_chart"}, {"inspect_data", "make_chart", "run_python"}}
	for i, want := range offers {
		if got := s.heard[i].offered(); i < 2 && !slices.Equal(got, want) {
			t.Errorf("turn %d offers %v, want %v", i, got, want)
		}
	}
	again := askIt(t, script(t), func(v *askVerb) { v.Question, v.Replay = "", filepath.Join(dir, "t.jsonl") })
	if again.code != 0 || again.Text != a.Text || len(again.Executions) != 2 || again.Executions[0] == a.Executions[0] || !again.Sources[0].Given {
		t.Errorf("replayed: %d %s", again.code, again.raw)
	}
}

func TestM15_WithMaskTheModelIsToldNothingPersonal(t *testing.T) {
	mustMask, _ := personal(t)
	for _, masked := range []bool{false, true} {
		s := script(t,
			said{calls: []string{"inspect_data {}"}},
			said{calls: []string{`make_chart {"kind":"bar","x":"phone","y":"amount"}`}},
			said{text: "done"},
		)
		a := askIt(t, s, func(v *askVerb) {
			v.Data, v.Mask = []string{"../../testdata/cases/contacts_personal.csv"}, masked
		})
		if a.code != 0 || len(a.Executions) != 2 {
			t.Fatalf("masked %v: %d %s", masked, a.code, a.raw)
		}
		heard, err := json.Marshal(s.heard)
		if err != nil {
			t.Fatal(err)
		}
		if leaks := present(string(heard), mustMask); (len(leaks) > 0) == masked {
			t.Errorf("masked %v: the model is told %d personal values: %.200v", masked, len(leaks), leaks)
		}
	}
}

func TestM6_WithoutDataASimpleQuestionIsForAProgram(t *testing.T) {
	s := script(t, said{calls: []string{`run_python {"code":"print((3 + 5) / 2)","purpose":"mean"}`}}, said{text: "4.0"})
	a := askIt(t, s, func(v *askVerb) { v.Question, v.Data = "what is the mean of 3 and 5?", nil })
	if a.code != 0 || len(a.Executions) != 1 || !slices.Contains(s.heard[0].offered(), "run_python") {
		t.Errorf("offered %v: %d %s", s.heard[0].offered(), a.code, a.raw)
	}
}

func TestM6_OneClassOfFailureOverAndOverEndsAQuestion(t *testing.T) {
	for same, want := range map[int]cellwall.StopReason{0: "", 2: cellwall.StopSameError} {
		s := script(t,
			said{calls: []string{`run_python {"code":"print(1 / 0)","purpose":"a"}`}},
			said{calls: []string{`run_python {"code":"print(2 / 0)","purpose":"b"}`}},
			said{text: "it does not work"},
		)
		a := askIt(t, s, func(v *askVerb) { v.Question, v.Data, v.MaxSame = "simulate it", nil, same })
		if len(a.Executions) != 2 || (a.Stop != nil) != (want != "") || a.Stop != nil && a.Stop.Reason != want {
			t.Errorf("at most %d: %d %s", same, a.code, a.raw)
		}
	}
}

func TestM4_WhatTheRouterDecidesAtTheCommandLineIsRecorded(t *testing.T) {
	s := script(t,
		said{calls: []string{`run_python {"code":"print(7)","purpose":"too early"}`}},
		said{calls: []string{`inspect_data {"table":7}`}},
		said{calls: []string{"inspect_data {}"}},
		said{text: "done"},
	)
	a := askIt(t, s, func(*askVerb) {})
	log, err := audit.Open(filepath.Join(a.state, "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var notes []string
	if err := log.Each(time.Time{}, func(line []byte) error {
		var n toolNote
		if err := json.Unmarshal(line, &n); err != nil || n.Kind != "tool_call" {
			return err
		}
		notes = append(notes, strings.Join([]string{n.Tool, n.Decision, n.Stage, n.Next, n.Instead, n.Identity.Tenant}, " "))
		if (n.Execution != "") != n.OK || n.Decision == toolRefused && (n.Reason == "" || !strings.Contains(n.Arguments, "too early")) {
			t.Errorf("%s", line)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"run_python refused new new inspect_data local", "inspect_data malformed new new  local", "inspect_data ran new simple  local"}
	if !slices.Equal(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}
