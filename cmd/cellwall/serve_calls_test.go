package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// asksHere is an event call, as a client reads it.
type asksHere struct {
	ID        uint64
	Name      string
	Arguments map[string]any
}

// follow runs code as a stream, has answer deal with each call, and returns the Result.
func (h *here) follow(key, path string, body map[string]any, answer func(at string, c asksHere)) cellwall.Result {
	h.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.URL+path, strings.NewReader(string(text)))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := h.Client().Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	kind, id := "", ""
	for lines.Scan() {
		if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kind = k
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		switch kind {
		case "started":
			var begun struct{ ID string }
			h.read(data, &begun)
			id = begun.ID
		case "call":
			var c asksHere
			h.read(data, &c)
			answer(fmt.Sprintf("/v1/executions/%s/calls/%d", id, c.ID), c)
		case "done":
			var r cellwall.Result
			h.read(data, &r)
			return r
		case "problem":
			h.t.Fatalf("%s", data)
		}
	}
	h.t.Fatalf("%s ended without its end: %d %v", path, res.StatusCode, lines.Err())
	return cellwall.Result{}
}

func (h *here) read(data string, into any) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(data), into); err != nil {
		h.t.Fatalf("%v: %s", err, data)
	}
}

// weather is a function of a caller's.
func weather() map[string]any {
	return map[string]any{
		"name": "weather", "description": "The weather of a city.",
		"parameters": map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"city"},
			"properties": map[string]any{"city": map[string]any{"type": "string", "maxLength": 20}},
		},
	}
}

func TestM50_ACallersFunctionsOverHTTP(t *testing.T) {
	h := serveHere(t)
	const code = `print(tools.weather(city="上海")["t"], tools.weather("B").t.sum())
for city in ("C", "D" * 30):
    try:
        tools.weather(city)
    except tools.ToolError as e:
        print(type(e).__name__, e)`
	var asked []string
	r := h.follow("e2b_aa", "/v1/executions", map[string]any{"code": code, "functions": []any{weather()}}, func(at string, c asksHere) {
		asked = append(asked, fmt.Sprint(c.Arguments["city"]))
		for body, want := range map[string]int{
			`{}`: 400, `{"result":1,"error":"x"}`: 400, `{"result":1}{}`: 400, `{"result":1,"more":2}`: 400, "{\"error\":\"\xff\"}": 400, `nan`: 400,
		} {
			h.must(want, "e2b_aa", "POST", at, body)
		}
		h.must(http.StatusNotFound, "e2b_bb", "POST", at, `{"result":"another tenant's"}`)
		h.must(http.StatusForbidden, "e2b_aw", "POST", at, `{"result":"of a key that only reads"}`)
		h.must(http.StatusNotFound, "e2b_aa", "POST", at+"7", `{"result":"to a call that never was"}`)
		answer := map[string]string{
			"上海": `{"result":{"t":21}}`, "B": `{"table":{"columns":[{"name":"t","dtype":"int64","values":[1,2]}]}}`, "C": `{"error":"no such city"}`,
		}[asked[len(asked)-1]]
		h.must(http.StatusNoContent, "e2b_aa", "POST", at, answer)
		h.must(http.StatusNotFound, "e2b_aa", "POST", at, answer)
	})
	want := "21 3\nToolFailed no such city\nToolArguments tools.weather: city: has 30 characters, at most 20\n"
	if r.Stdout.Text != want || !slices.Equal(asked, []string{"上海", "B", "C"}) {
		t.Errorf("printed %q, %+v, asked %q", r.Stdout.Text, r.Error, asked)
	}
}

func TestM50_FunctionsOfASessionOverHTTP(t *testing.T) {
	h := serveHere(t)
	body, err := json.Marshal(map[string]any{"functions": []any{weather()}, "limits": map[string]any{"timeout_ms": 2000}})
	if err != nil {
		t.Fatal(err)
	}
	at := h.openHere("e2b_aa", string(body))
	answer := func(at string, c asksHere) {
		h.must(http.StatusNoContent, "e2b_aa", "POST", at, fmt.Sprintf(`{"result":%q}`, c.Name+" "+fmt.Sprint(c.Arguments["city"])))
	}
	if r := h.follow("e2b_aa", at+"/executions", map[string]any{"code": "x = tools.weather('A')"}, answer); !r.OK {
		t.Errorf("%+v", r.Error)
	}
	if r := h.cell(at, "print(x)\ntools.weather('B')"); r.Stdout.Text != "weather A\n" || r.Error == nil || r.Error.Type != "ToolFailed" ||
		!strings.Contains(r.Error.Message, "nobody follows") {
		t.Errorf("without a stream: %q, %+v", r.Stdout.Text, r.Error)
	}
	silent := h.follow("e2b_aa", at+"/executions", map[string]any{"code": "x = 1; tools.weather('C')"}, func(string, asksHere) {})
	if silent.Status != cellwall.StatusTimeout || silent.Restored == nil {
		t.Errorf("a call that nobody answers: %s %+v", silent.Status, silent.Restored)
	}
	late := ""
	other := map[string]any{"code": "print(x, tools.weather('D'), tools.lucky())", "functions": []any{map[string]any{"name": "lucky", "parameters": map[string]any{"type": "object"}}}}
	r := h.follow("e2b_aa", at+"/executions", other, func(at string, c asksHere) { late = at; answer(at, c) })
	if r.Stdout.Text != "weather A weather D lucky <nil>\n" {
		t.Errorf("%q, %+v", r.Stdout.Text, r.Error)
	}
	h.must(http.StatusNotFound, "e2b_aa", "POST", late, `{"result":"when all is over"}`)
}

func TestM50_FunctionsThatCannotBeCalledAreRefused(t *testing.T) {
	h := serveHere(t)
	for body, headers := range map[string][]string{
		`{"code":"1","functions":[{"name":"f","parameters":{"type":"object"}}]}`:                                           nil, // nobody would hear
		`{"code":"1","functions":[{"name":"f","parameters":{"type":"text"}}]}`:                                             {"Accept", "text/event-stream"},
		`{"code":"1","functions":[{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"file:///etc"}}}}]}`: {"Accept", "text/event-stream"},
		`{"code":"1","functions":[{"name":"lambda","parameters":{"type":"object"}}]}`:                                      {"Accept", "text/event-stream"},
		`{"code":"1","tools":["rm"]}`: nil,
	} {
		h.must(http.StatusBadRequest, "e2b_aa", "POST", "/v1/executions", body, headers...)
	}
	twice := `{"code":"1","functions":[{"name":"f","parameters":{"type":"object"}},{"name":"f","parameters":{"type":"object"}}]}`
	h.must(http.StatusBadRequest, "e2b_aa", "POST", "/v1/executions", twice, "Accept", "text/event-stream")
	h.must(http.StatusUnprocessableEntity, "e2b_aa", "POST", "/v1/executions", `{"code":"1","functions":[{"name":"F","parameters":{}}]}`)
}
