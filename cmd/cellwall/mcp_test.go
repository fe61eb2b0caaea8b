package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/internal/testkit"
)

// mcpClient speaks to "cellwall mcp" line by line.
type mcpClient struct {
	t     *testing.T
	to    io.WriteCloser
	lines *bufio.Scanner
	state string
	ended chan error
	last  int
}

// startMCP runs the verb over pipes.
func startMCP(t *testing.T, set func(*mcpVerb)) *mcpClient {
	t.Helper()
	testkit.RequireRoot(t)
	c := &mcpClient{t: t, state: t.TempDir(), ended: make(chan error, 1)}
	linkEnvironments(t, c.state)
	v := mcpVerb{
		Data: []string{"../../testdata/cases/orders_zh.csv"}, Lang: "en", Env: defaultEnvironment, QueryEnv: "none", Backend: defaultBackend,
		MaxRuns: 50, MaxFailures: 10, MaxTime: time.Minute,
	}
	if set != nil {
		set(&v)
	}
	in, to := io.Pipe()
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.to, c.lines = to, bufio.NewScanner(from)
	c.lines.Buffer(nil, 16<<20)
	p := newProgram()
	p.stdin, p.stdout = in, newScreen(out)
	go func() {
		err := v.Run(t.Context(), p, &config{StateDir: c.state})
		c.ended <- err
		out.Close()
	}()
	t.Cleanup(func() { to.Close(); from.Close() })
	c.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	c.send(map[string]any{"method": "notifications/initialized"})
	return c
}

func (c *mcpClient) send(message map[string]any) {
	c.t.Helper()
	message["jsonrpc"] = "2.0"
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = c.to.Write(append(raw, '\n'))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// heard is one message of the server's.
type heard struct {
	ID     int
	Method string
	Params json.RawMessage
	Error  json.RawMessage
	Result struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Type, Name, Text, URI, Data, MimeType string }
		Contents          []struct{ Text, Blob string }
		Tools             []struct{ Name string }
		Messages          []struct{ Content struct{ Text string } }
	}
}

func (c *mcpClient) hear() (h heard) {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the server says nothing more: %v", c.lines.Err())
	}
	if err := json.Unmarshal(c.lines.Bytes(), &h); err != nil {
		c.t.Fatalf("standard output holds %q: %v", c.lines.Text(), err)
	}
	return h
}

// ask sends a request and returns its answer, and what came before it.
func (c *mcpClient) ask(method string, params any) (answer heard, before []heard) {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"id": c.last, "method": method, "params": params})
	for {
		h := c.hear()
		if h.ID == c.last && h.Method == "" {
			return h, before
		}
		before = append(before, h)
	}
}

func (c *mcpClient) call(tool string, arguments any) heard {
	c.t.Helper()
	h, _ := c.ask("tools/call", map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": 1}})
	return h
}

func TestM44_OverLines_AClientAnalysesData(t *testing.T) {
	out := t.TempDir()
	c := startMCP(t, func(v *mcpVerb) { v.Out = out })
	if r := c.call("run_python", map[string]any{"code": "print(1)", "purpose": "p"}); !r.Result.IsError {
		t.Errorf("a program ran before the data were looked at: %+v", r)
	}
	if r := c.call("inspect_data", nil); r.Result.IsError || !strings.Contains(string(r.Result.StructuredContent), "利润") {
		t.Fatalf("inspect_data: %+v", r)
	}
	chart := c.call("make_chart", map[string]any{"kind": "bar", "x": "区域", "y": "利润", "sort": "-value"})
	pictures, table := 0, ""
	for _, content := range chart.Result.Content {
		switch {
		case content.Type == "image" && content.MimeType == "image/png" && len(content.Data) > 1000:
			pictures++
		case content.MimeType == "text/csv":
			table = content.URI
		}
	}
	if chart.Result.IsError || pictures != 1 || table == "" {
		t.Fatalf("make_chart: %.2000v", chart)
	}
	read, _ := c.ask("resources/read", map[string]any{"uri": table})
	if len(read.Result.Contents) != 1 || !strings.Contains(read.Result.Contents[0].Text, "637784.46") {
		t.Errorf("the table behind it: %+v", read)
	}
	if _, err := os.Stat(filepath.Join(out, "chart.png")); err != nil {
		t.Error(err)
	}
	ran := c.call("run_python", map[string]any{"code": "print(len(df), df['利润'].isna().sum())", "purpose": "count"})
	if ran.Result.IsError || !strings.Contains(ran.Result.Content[0].Text, "1000 8") {
		t.Errorf("run_python: %+v", ran)
	}
	wrong := c.call("run_python", map[string]any{"code": "df['利间']", "purpose": "p", "shell": true})
	if !wrong.Result.IsError || !strings.Contains(wrong.Result.Content[0].Text, "leave it out") {
		t.Errorf("a field too many: %+v", wrong)
	}
	prompt, _ := c.ask("prompts/get", map[string]any{"name": "analyse_data", "arguments": map[string]string{"question": "哪个区域亏损？"}})
	if len(prompt.Result.Messages) != 1 || !strings.Contains(prompt.Result.Messages[0].Content.Text, "pandas") {
		t.Errorf("the prompt: %+v", prompt)
	} else if text := prompt.Result.Messages[0].Content.Text; !strings.Contains(text, "The user's question: 哪个区域亏损？\n") || strings.Count(text, "哪个区域亏损？") != 1 {
		t.Errorf("the question in the prompt: %s", text)
	}
	c.to.Close()
	if err := <-c.ended; err != nil {
		t.Errorf("the verb ended with %v", err)
	}
	if runs := recordedRuns(t, c.state); len(runs) != 2 {
		t.Errorf("recorded %v, want the chart and the program", runs)
	}
}

func TestM44_OverLines_ACancelledCallEndsItsSandbox(t *testing.T) {
	c := startMCP(t, nil)
	c.call("inspect_data", nil)
	c.ask("prompts/get", map[string]any{"name": "analyse_data", "arguments": map[string]string{"question": "cluster the orders"}})
	began := time.Now()
	c.send(map[string]any{"id": 77, "method": "tools/call", "params": map[string]any{
		"name": "run_python", "arguments": map[string]any{"code": "while True: pass", "purpose": "p"}, "_meta": map[string]any{"progressToken": "t"},
	}})
	for !strings.Contains(string(c.hear().Params), "runs") { //nolint:revive // until it has its turn
	}
	c.send(map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": 77}})
	if r := c.call("make_chart", map[string]any{"kind": "bar", "x": "区域"}); r.Result.IsError {
		t.Errorf("after it: %+v", r)
	}
	if took := time.Since(began); took > 7*time.Second { // its own limit is 8 s
		t.Errorf("the next call had to wait %s", took)
	}
	if r := c.call("run_python", map[string]any{"code": "print(40+2)", "purpose": "p"}); r.Result.IsError || !strings.Contains(fmt.Sprint(r), "42") {
		t.Errorf("a run that was cancelled counts as the model's failure: %+v", r)
	}
}

func TestM44_OverLines_WithoutDataAProgramStaysOffered(t *testing.T) {
	c := startMCP(t, func(v *mcpVerb) { v.Data = nil })
	for _, question := range []string{"", "what is the mean of 3 and 5?", "hello"} {
		c.ask("prompts/get", map[string]any{"name": "analyse_data", "arguments": map[string]string{"question": question}})
		list, _ := c.ask("tools/list", map[string]any{})
		if !slices.ContainsFunc(list.Result.Tools, func(t struct{ Name string }) bool { return t.Name == "run_python" }) {
			t.Errorf("after %q: %+v", question, list.Result.Tools)
		}
	}
	if r := c.call("run_python", map[string]any{"code": "print((3 + 5) / 2)", "purpose": "p"}); r.Result.IsError || !strings.Contains(fmt.Sprint(r), "4.0") {
		t.Errorf("run_python: %+v", r)
	}
}

func TestM44_OverLines_ProgramsAreCheckedAsTheFlagsSay(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1") // nobody answers there
	t.Setenv("OPENAI_API_KEY", "k")
	for name, row := range map[string]struct {
		set     func(*mcpVerb)
		refused bool
	}{
		"default":  {func(*mcpVerb) {}, false},
		"strict":   {func(v *mcpVerb) { v.Profile = "strict" }, true},
		"reviewed": {func(v *mcpVerb) { v.Review, v.ReviewFailure = "m", "refuse" }, true},
	} {
		c := startMCP(t, func(v *mcpVerb) { v.Data = nil; row.set(v) })
		r := c.call("run_python", map[string]any{"code": "import ctypes\nprint('it ran')", "purpose": "p"})
		if r.Result.IsError != row.refused || strings.Contains(fmt.Sprint(r.Result.Content), "it ran\\n") == row.refused {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestM15_OverLines_WithMaskTheModelIsShownNoPicture(t *testing.T) {
	for _, masked := range []bool{false, true} {
		c := startMCP(t, func(v *mcpVerb) { v.Data, v.Mask = []string{"../../testdata/cases/contacts_personal.csv"}, masked })
		c.call("inspect_data", nil)
		chart := c.call("make_chart", map[string]any{"kind": "bar", "x": "phone", "y": "amount"})
		var links, pictures int
		for _, content := range chart.Result.Content {
			if content.MimeType == "image/png" && content.Type == "image" {
				pictures++
			} else if content.MimeType == "image/png" {
				links++
			}
		}
		if chart.Result.IsError || links != 1 || (pictures == 0) != masked {
			t.Errorf("masked %v: %d links, %d pictures", masked, links, pictures)
		}
	}
}
