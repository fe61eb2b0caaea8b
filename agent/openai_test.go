package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/agent"
)

const secret = "sk-secret-of-the-user-0123456789"

// piece is one event of a stream.
func piece(delta map[string]any, finish string) string {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	raw, err := json.Marshal(map[string]any{"choices": []any{choice}})
	if err != nil {
		panic(err)
	}
	return "data: " + string(raw) + "\n\n"
}

func called(index int, id, name, arguments string) string {
	return piece(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
	}}}, "")
}

const done = "data: [DONE]\n\n"

var stop = piece(map[string]any{}, "stop")

// told is what an endpoint that writes this makes of one question.
func told(t *testing.T, write http.HandlerFunc, asked agent.Asked) (agent.Reply, error) {
	t.Helper()
	server := httptest.NewServer(write)
	defer server.Close()
	m, err := agent.NewOpenAI(agent.EndpointOptions{BaseURL: server.URL, Key: secret, Model: "m", Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return m.Complete(t.Context(), asked, func(string) {})
}

func says(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range parts {
			if _, err := io.WriteString(w, p); err != nil {
				return
			}
		}
	}
}

func TestM6_AnEndpointIsTrustedWithNothing(t *testing.T) {
	big := strings.Repeat("x", 100<<10)
	for name, tt := range map[string]struct {
		write http.HandlerFunc
		fails string // part of the error; "" = it is a reply
		check func(agent.Reply) bool
	}{
		"a reply":              {says(piece(map[string]any{"content": "42"}, ""), stop, done), "", func(r agent.Reply) bool { return r.Text == "42" && !r.Cut }},
		"one cut by its limit": {says(piece(map[string]any{"content": "4"}, "length"), done), "", func(r agent.Reply) bool { return r.Text == "4" && r.Cut }},
		"it breaks off":        {says(piece(map[string]any{"content": "the profit is 1"}, "")), "broke off", nil},
		"nothing at all":       {says(), "broke off", nil},
		"no stream but a page": {says("<html>welcome</html>"), "broke off", nil},
		"text without end":     {says(piece(map[string]any{"content": big}, ""), piece(map[string]any{"content": big}, ""), piece(map[string]any{"content": big}, ""), stop, done), "more than 256 KiB of text", nil},
		"a line without end":   {func(w http.ResponseWriter, _ *http.Request) { pour(w, "data: ", big) }, "too large", nil},
		"events without end": {func(w http.ResponseWriter, _ *http.Request) {
			pour(w, "", ": still thinking"+strings.Repeat("\n", 200))
		}, "too many empty messages", nil},
		"pieces of no content":   {func(w http.ResponseWriter, _ *http.Request) { pour(w, "", stop) }, "hear model", nil},
		"a reply that stands":    {stands, "hear model", nil},
		"an error with the key":  {func(w http.ResponseWriter, _ *http.Request) { refuse(w, "bad key "+secret+strings.Repeat("!", 9000)) }, "bad key ***", nil},
		"an error in the stream": {says("data: {\"error\":{\"message\":\"no model for " + secret + "\"}}\n\n"), "no model for ***", nil},
		"an error without end":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); pour(w, "", big) }, "ask model", nil},
		"it sends on": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.7/elsewhere", http.StatusTemporaryRedirect)
		}, "sends on to 192.0.2.7", nil},
		"arguments without end": {
			says(called(0, "a", "run_python", big), called(0, "", "", big), called(0, "", "", big), called(0, "", "", big), stop, done), "",
			func(r agent.Reply) bool { return len(r.Calls) == 1 && len(r.Calls[0].Arguments) == 256<<10+1 },
		},
		"a name without end": {says(called(0, "a", big, "{}"), stop, done), "", func(r agent.Reply) bool { return len(r.Calls[0].Tool) == 128 }},
		"a hundred calls": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				fmt.Fprint(w, called(i, fmt.Sprint("c", i), "inspect_data", "{}"))
			}
			fmt.Fprint(w, stop, done)
		}, "", func(r agent.Reply) bool { return len(r.Calls) == 16 }},
		"places left open": {says(called(9, "a", "inspect_data", "{}"), stop, done), "", func(r agent.Reply) bool { return len(r.Calls) == 1 }},
		"places that are none": {
			says(called(-1, "a", "x", "{}"), called(1<<40, "b", "x", "{}"), called(0, "c", "inspect_data", "{}"), stop, done), "",
			func(r agent.Reply) bool { return len(r.Calls) == 1 && r.Calls[0].ID == "c" },
		},
		"two calls of one id, one without, one of a long one": {
			says(called(0, "a", "x", "{}"), called(1, "a", "x", "{}"), called(2, "", "x", "{}"), called(3, big, "x", "{}"), stop, done), "",
			func(r agent.Reply) bool {
				ids := map[string]bool{}
				for _, c := range r.Calls {
					ids[c.ID] = len(c.ID) < 100
				}
				return len(ids) == 4 && ids["a"]
			},
		},
		"more tokens than there are": {
			says(stop, `data: {"choices":[],"usage":{"total_tokens":9223372036854775807}}`+"\n\n", done), "", func(r agent.Reply) bool { return r.Tokens > 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			r, err := told(t, tt.write, agent.Asked{Messages: []agent.Message{{Role: agent.RoleUser, Text: "q"}}})
			switch {
			case tt.fails == "" && (err != nil || !tt.check(r)):
				t.Errorf("%.300v, %v", r, err)
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Errorf("%.300v, %.300v, want %q", r, err, tt.fails)
			case err != nil && (strings.Contains(err.Error(), secret) || len(err.Error()) > 600):
				t.Errorf("the error shows the key, or is %d bytes long: %.200s", len(err.Error()), err)
			}
			if time.Since(began) > 20*time.Second {
				t.Errorf("it took %v", time.Since(began))
			}
		})
	}
}

// pour writes for as long as it is read.
func pour(w http.ResponseWriter, first, then string) {
	_, err := io.WriteString(w, first)
	for err == nil {
		_, err = io.WriteString(w, then)
	}
}

// stands begins a reply and does not go on.
func stands(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, piece(map[string]any{"content": "wait"}, ""))
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func refuse(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprintf(w, `{"error":{"message":%q}}`, why)
}

// A conversation with a call that was no JSON still has to be one that endpoints take.
func TestM6_WhatWasMalformedIsNotSentBack(t *testing.T) {
	var sent string
	_, err := told(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sent = string(raw)
		says(stop, done)(w, r)
	}, agent.Asked{Messages: []agent.Message{
		{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "a", Tool: "query_data", Arguments: `{"sql":`}, {ID: "b", Tool: "query_data", Arguments: `{"sql":"x"}`}}},
		{Role: agent.RoleTool, Call: "a", Text: "no JSON"},
	}})
	if err != nil || !strings.Contains(sent, `"arguments":"{}"`) || !strings.Contains(sent, `"arguments":"{\"sql\":\"x\"}"`) {
		t.Errorf("%v: %s", err, sent)
	}
}
