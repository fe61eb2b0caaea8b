package apitest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// client is one of MCP.
type client struct {
	*Service
	key, id string
}

// message sends one in a session of MCP.
func (c client) message(t *testing.T, message string) Answer {
	t.Helper()
	return c.Call(t, "POST", "/mcp", c.key, message, "Mcp-Session-Id", c.id, "Accept", "application/json, text/event-stream", "X-Request-Id", "fixed")
}

// meet begins a session of MCP.
func meet(t *testing.T, s *Service, key, query string) client {
	t.Helper()
	a := s.Call(t, "POST", "/mcp"+query, key, hello, "Accept", "application/json, text/event-stream")
	if a.Status != 200 || a.Header.Get("Mcp-Session-Id") == "" {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	c := client{s, key, a.Header.Get("Mcp-Session-Id")}
	if a := c.message(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); a.Status != 202 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return c
}

// answered is the result of a request, as JSON or as an event.
func answered[T any](t *testing.T, a Answer) T {
	t.Helper()
	text := a.Body
	for _, e := range parseEvents(append(bytes.Clone(a.Body), '\n', '\n')) {
		text = []byte(e.data)
	}
	var said struct{ Result T }
	if err := json.Unmarshal(text, &said); err != nil || a.Status != 200 {
		t.Fatalf("%d %v: %s", a.Status, err, a.Body)
	}
	return said.Result
}

type listedTools struct{ Tools []struct{ Name string } }

// offered are the names of the tools that a client may call.
func (c client) offered(t *testing.T) (names []string) {
	t.Helper()
	for _, tool := range answered[listedTools](t, c.message(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)).Tools {
		names = append(names, tool.Name)
	}
	return names
}

// tool calls one, and gives what the model reads of it.
func (c client) tool(t *testing.T, name string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	r := answered[struct {
		Content []struct{ Text string }
		IsError bool
	}](t, c.message(t, body(t, map[string]any{
		"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments},
	})))
	for _, part := range r.Content {
		text += part.Text
	}
	return text, r.IsError
}

func aClientOfMCPCallsTools(t *testing.T, s *Service) {
	d := Into[cellwall.Dataset](t, upload(t, s, s.Key, "sales.csv", sales), 201)
	c := meet(t, s, s.Agent, "?dataset="+d.ID)
	next, leave := s.follow(t, "GET", "/mcp", s.Agent, "", "Mcp-Session-Id", c.id)
	if names := c.offered(t); !slices.Equal(names, []string{"inspect_data"}) {
		t.Errorf("at first %q are offered", names)
	}
	if text, failed := c.tool(t, "inspect_data", map[string]any{}); failed || !bytes.Contains([]byte(text), []byte("revenue")) {
		t.Errorf("inspect: %v %s", failed, text)
	}
	if e, more := next(); !more || !bytes.Contains([]byte(e.data), []byte("notifications/tools/list_changed")) {
		t.Errorf("of the tools that are offered now the stream says %+v", e)
	}
	if names := c.offered(t); !slices.Contains(names, "make_chart") {
		t.Errorf("then %q are offered", names)
	}
	leave()
	alone := meet(t, s, s.Agent, "")
	text, failed := alone.tool(t, "run_python", map[string]any{"code": "print(6 * 7)", "purpose": "a test"})
	if failed || !bytes.Contains([]byte(text), []byte("42")) {
		t.Errorf("run_python: %v %s", failed, text)
	}
	l := Into[List[Listed]](t, s.Call(t, "GET", "/v1/executions", s.Key, ""), 200)
	if len(l.Items) == 0 || l.Items[0].Status != "ok" {
		t.Errorf("the list of executions has %+v", l.Items)
	}
	for _, one := range []client{c, alone} {
		if a := s.Call(t, "DELETE", "/mcp", s.Agent, "", "Mcp-Session-Id", one.id); a.Status != 204 {
			t.Errorf("ending it: %d %s", a.Status, a.Body)
		}
		if a := one.message(t, `{"jsonrpc":"2.0","id":4,"method":"ping"}`); a.Status != 404 {
			t.Errorf("afterwards it is %d %s", a.Status, a.Body)
		}
	}
}

func clientsOfMCPAreTheirTenants(t *testing.T, s *Service) {
	c := meet(t, s, s.Agent, "")
	ping := `{"jsonrpc":"2.0","id":4,"method":"ping"}`
	for method, ask := range map[string]string{"POST": ping, "GET": "", "DELETE": ""} {
		say := func(key, id string) Answer {
			t.Helper()
			return s.Call(t, method, "/mcp", key, ask, "Mcp-Session-Id", id, "Accept", "application/json, text/event-stream", "X-Request-Id", "fixed")
		}
		nobodys, anothers := say(s.Other, "NOBODYS"), say(s.Other, c.id)
		if nobodys.Status != 404 || anothers.Status != 404 || headers(anothers) != headers(nobodys) || !bytes.Equal(anothers.Body, nobodys.Body) {
			t.Errorf("%s: another's is %d %s %s, nobody's %d %s %s", method, anothers.Status, headers(anothers), anothers.Body, nobodys.Status, headers(nobodys), nobodys.Body)
		}
		DemandProblem(t, "no key", say("", c.id), 401, "unauthenticated")
		DemandProblem(t, "an expired key", say(s.Expired, c.id), 401, "unauthenticated")
		DemandProblem(t, "another scope", say(s.Auditor, c.id), 403, "forbidden")
	}
	k := begin(t, s, `{}`)
	d := Into[cellwall.Dataset](t, upload(t, s, s.Key, "sales.csv", sales), 201)
	for _, query := range []string{"?session=" + k.id, "?dataset=" + d.ID} {
		if a := s.Call(t, "POST", "/mcp"+query, s.Other, hello, "Accept", "application/json, text/event-stream"); a.Status != 404 {
			t.Errorf("another tenant begins with %s: %d %s", query, a.Status, a.Body)
		}
	}
	if a := c.message(t, ping); a.Status != 200 {
		t.Errorf("afterwards its own is %d %s", a.Status, a.Body)
	}
}
