package main

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// withKey sends a key with each request.
type withKey struct{ key, header string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(k.header, k.key)
	return http.DefaultTransport.RoundTrip(r)
}

// clientOf connects a client of MCP to a service.
func clientOf(t *testing.T, s *served, transport http.RoundTripper, query string) (*sdk.ClientSession, error) {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.tcp + "/mcp" + query, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { c.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	}
	return c, err
}

func toolNames(t *testing.T, c *sdk.ClientSession) (names []string) {
	t.Helper()
	l, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestM44_OverHTTP_AKeyOpensTheToolsOfItsTenant(t *testing.T) {
	s := fakeService(t)
	var made struct{ ID string }
	s.post("/v1/datasets", "a,b\n1,2\n", 201, &made, "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`)
	for name, row := range map[string]struct {
		headers []string
		want    int
	}{
		"no key":             {nil, 401},
		"a key of nobody":    {[]string{"X-API-Key", "e2b_00"}, 401},
		"a key for auditors": {[]string{"X-API-Key", makeKey(t, s, "aud", "audit")}, 403},
		"a page of another":  {[]string{"X-API-Key", makeKey(t, s, "a", "execute"), "Origin", "http://evil.example"}, 403},
	} {
		answer := s.mcp(t, mcpHello, row.headers...)
		if answer.StatusCode != row.want || (row.want == 401) != strings.HasPrefix(answer.Header.Get("Www-Authenticate"), "Bearer") {
			t.Errorf("%s: %d %v", name, answer.StatusCode, answer.Header)
		}
	}
	for _, header := range []string{"X-API-Key", "Authorization"} {
		key := makeKey(t, s, "t"+strings.ToLower(header[:1]), "execute")
		if header == "Authorization" {
			key = "Bearer " + key
		}
		c, err := clientOf(t, s, withKey{key, header}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := toolNames(t, c); len(got) == 0 || got[0] != "inspect_data" {
			t.Errorf("%v are listed", got)
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "out hello", "purpose": "p"}})
		if err != nil || r.IsError {
			t.Errorf("run_python: %+v, %v", r, err)
		}
		if _, err := clientOf(t, s, withKey{key, header}, "?dataset="+made.ID); err == nil {
			t.Error("another tenant's dataset was taken")
		}
	}
	if records := s.records(); !strings.Contains(records, `"kind":"tool_call"`) || !strings.Contains(records, "run_python") {
		t.Error("the calls are not recorded")
	}
}

func TestM44_OverHTTP_AnotherTenantsSessionIsNone(t *testing.T) {
	s := fakeService(t)
	mine, other := makeKey(t, s, "mine", "execute"), makeKey(t, s, "other", "execute")
	id := s.mcp(t, mcpHello, "X-API-Key", mine).Header.Get("Mcp-Session-Id")
	foreign := s.mcp(t, mcpList, "X-API-Key", other, "Mcp-Session-Id", id)
	unknown := s.mcp(t, mcpList, "X-API-Key", other, "Mcp-Session-Id", "NOBODYS")
	if id == "" || foreign.StatusCode != 404 || unknown.StatusCode != 404 {
		t.Errorf("%q: %d and %d", id, foreign.StatusCode, unknown.StatusCode)
	}
	var made struct{ ID string }
	s.post("/v1/sessions", `{}`, 201, &made)
	if answer := s.mcpAt(t, "?session="+made.ID, mcpHello, "X-API-Key", mine); answer.StatusCode != 404 {
		t.Errorf("in a session of the service that is another's: %d", answer.StatusCode)
	}
	for _, query := range []string{"?dataset=ds_nobody", "?session=a&session=b", "?session=a&dataset=b", "?tools=some", "?shell=1"} {
		if answer := s.mcpAt(t, query, mcpHello, "X-API-Key", mine); answer.StatusCode != 400 && answer.StatusCode != 404 && answer.StatusCode != 422 {
			t.Errorf("%s: %d", query, answer.StatusCode)
		}
	}
	if own := s.mcp(t, mcpList, "X-API-Key", mine, "Mcp-Session-Id", id); own.StatusCode != 200 {
		t.Errorf("its own: %d", own.StatusCode)
	}
}

const (
	mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	mcpList  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// mcp sends one message.
func (s *served) mcp(t *testing.T, body string, headers ...string) *http.Response {
	t.Helper()
	return s.mcpAt(t, "", body, headers...)
}

func (s *served) mcpAt(t *testing.T, query, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.tcp+"/mcp"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body) // who leaves before the answer begins no session
	answer.Body.Close()
	return answer
}

// analyse gets the prompt; "" asks without a question.
func analyse(t *testing.T, c *sdk.ClientSession, question string) string {
	t.Helper()
	p := &sdk.GetPromptParams{Name: "analyse_data"}
	if question != "" {
		p.Arguments = map[string]string{"question": question}
	}
	r, err := c.GetPrompt(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r.Messages[0].Content.(*sdk.TextContent).Text
}

func TestM44_OverHTTP_APromptGivesNewTries(t *testing.T) {
	s := fakeService(t)
	var made struct{ ID string }
	key := makeKey(t, s, "t", "execute")
	_, _, text := s.ask(key, "POST", "/v1/datasets", "a,b\n1,2\n", "Content-Type", octets, "Content-Disposition", `attachment; filename="a.csv"`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.ID == "" {
		t.Fatalf("%v: %s", err, text)
	}
	for name, row := range map[string]struct{ query, before string }{
		"without data": {"", "what is the mean of 3 and 5?"},
		"with data":    {"?dataset=" + made.ID, "cluster the rows"},
	} {
		c, err := clientOf(t, s, withKey{key, "X-API-Key"}, row.query)
		if err != nil {
			t.Fatal(err)
		}
		if text := analyse(t, c, row.before); strings.Count(text, "The user's question: "+row.before+"\n") != 1 || strings.Count(text, row.before) != 1 {
			t.Errorf("%s: the question is not in %s", name, text)
		}
		wrong := &sdk.CallToolParams{Name: "run_python", Arguments: map[string]any{"code": "end error exception", "purpose": "p"}}
		for range 2 {
			if r, err := c.CallTool(t.Context(), wrong); err != nil || !r.IsError || strings.Contains(r.Content[0].(*sdk.TextContent).Text, `"refused"`) {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		if slices.Contains(toolNames(t, c), "run_python") {
			t.Errorf("%s: there is a third try", name)
		}
		if text := analyse(t, c, ""); strings.Contains(text, "question:") || !slices.Contains(toolNames(t, c), "run_python") {
			t.Errorf("%s: a prompt without a question gives no new tries: %v", name, toolNames(t, c))
		}
	}
}

func TestM15_OverHTTP_PicturesGoToNoModelWhereATenantsTextIsMasked(t *testing.T) {
	s := fakeService(t, "--config", settingsFile(t, "[tenants.acme]\nmask = true\n"))
	for tenant, want := range map[string]int{"acme": 0, "open": 1} {
		c, err := clientOf(t, s, withKey{makeKey(t, s, tenant, "execute"), "X-API-Key"}, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.CallTool(t.Context(), pythonOver("file chart.gif GIF89a"))
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", tenant, r, err)
		}
		pictures, links := 0, 0
		for _, content := range r.Content {
			switch content.(type) {
			case *sdk.ImageContent:
				pictures++
			case *sdk.ResourceLink:
				links++
			}
		}
		if pictures != want || links != 1 {
			t.Errorf("%s: %d pictures and %d links", tenant, pictures, links)
		}
	}
}

func TestM44_OverHTTP_NoWorkBeginsInALockdown(t *testing.T) {
	s := fakeService(t)
	c, err := clientOf(t, s, withKey{makeKey(t, s, "t", "execute"), "X-API-Key"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.CallTool(t.Context(), pythonOver("out 1")); err != nil || r.IsError {
		t.Fatalf("before: %+v, %v", r, err)
	}
	if status, text := call(t, s.local(), "POST", "http://local/v1/admin/lockdown", `{"why":"a test"}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, tool := range []*sdk.CallToolParams{pythonOver("out 1"), {Name: "inspect_data"}} {
		if r, err := c.CallTool(t.Context(), tool); err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, `"locked_down"`) {
			t.Errorf("%s: %+v, %v", tool.Name, r, err)
		}
	}
}
