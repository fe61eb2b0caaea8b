package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/tools"
)

// many is a server of many clients over one box for each; who calls stands in a
// header, as a key would.
type many struct {
	*HTTP
	url   string
	made  atomic.Int64
	ended atomic.Int64
}

func serveMany(t *testing.T, box func() *scripted, change func(*HTTPOptions)) *many {
	t.Helper()
	m := &many{}
	o := HTTPOptions{Begin: func(context.Context, Caller, *http.Request) (Options, func(), error) {
		m.made.Add(1)
		return Options{Toolbox: box(), Beat: 20 * time.Millisecond}, func() { m.ended.Add(1) }, nil
	}}
	if change != nil {
		change(&o)
	}
	m.HTTP = NewHTTP(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := r.Header.Get("X-Tenant")
		if err := m.Serve(w, r, Caller{Tenant: who, Owner: who}); err != nil {
			http.Error(w, err.Error(), statusOf(err))
		}
	}))
	m.url = server.URL
	t.Cleanup(func() {
		m.Close()
		server.Close()
		http.DefaultClient.CloseIdleConnections()
		if m.made.Load() != m.ended.Load() {
			t.Errorf("%d sessions were made, %d ended", m.made.Load(), m.ended.Load())
		}
	})
	return m
}

// statusOf is what package api makes of an error.
func statusOf(err error) int {
	return map[cellwall.ErrorCode]int{
		cellwall.CodeBadRequest: 400, cellwall.CodeForbidden: 403, cellwall.CodeNotFound: 404, cellwall.CodeTooLarge: 413,
		cellwall.CodeRateLimited: 429, cellwall.CodeBusy: 503, cellwall.CodeDraining: 503,
	}[cellwall.CodeOf(err)]
}

const (
	helloBody  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listBody   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	modernList = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// ask sends one request; headers are name, value pairs.
func (m *many) ask(t *testing.T, ctx context.Context, method, body string, headers ...string) (status int, h http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, m.url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, nil, ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err.Error()
	}
	return answer.StatusCode, answer.Header, string(raw)
}

// begin begins a session of a tenant's and returns its id.
func (m *many) begin(t *testing.T, tenant string) string {
	t.Helper()
	status, h, text := m.ask(t, t.Context(), "POST", helloBody, "X-Tenant", tenant)
	if status != 200 || h.Get(headerSession) == "" {
		t.Fatalf("initialize: %d %s", status, text)
	}
	return h.Get(headerSession)
}

func fresh() *scripted { return &scripted{} }

func TestM44_ClientsOfBothAgesAreServed(t *testing.T) {
	m := serveMany(t, fresh, nil)
	id := m.begin(t, "a")
	if status, _, text := m.ask(t, t.Context(), "POST", listBody, "X-Tenant", "a", headerSession, id); status != 200 || !strings.Contains(text, `"inspect_data"`) {
		t.Errorf("a session: %d %s", status, text)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: m.url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if version := c.InitializeResult().ProtocolVersion; version != standalone {
		t.Errorf("the SDK's client speaks %s", version)
	}
	for _, tool := range []string{tools.InspectData, tools.QueryData} {
		if r := called(t, c, tool, nil); r.IsError {
			t.Errorf("%s: what one request found out the next one does not know", tool)
		}
	}
	if got := listed(t, c); len(got) != 4 {
		t.Errorf("%v are listed", got)
	}
}

func TestM44_ASessionIsItsOwnersAlone(t *testing.T) {
	m := serveMany(t, fresh, nil)
	id := m.begin(t, "a")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		foreign, _, one := m.ask(t, t.Context(), method, listBody, "X-Tenant", "b", headerSession, id)
		unknown, _, two := m.ask(t, t.Context(), method, listBody, "X-Tenant", "b", headerSession, "NOBODYS")
		if foreign != 404 || unknown != 404 || one != two {
			t.Errorf("%s: %d %q and %d %q", method, foreign, one, unknown, two)
		}
	}
	if status, _, _ := m.ask(t, t.Context(), "POST", listBody, "X-Tenant", "a", headerSession, id); status != 200 {
		t.Errorf("its owner is answered %d", status)
	}
	if status, _, _ := m.ask(t, t.Context(), "DELETE", "", "X-Tenant", "a", headerSession, id); status != 204 {
		t.Errorf("its end is answered %d", status)
	}
	if status, _, _ := m.ask(t, t.Context(), "POST", listBody, "X-Tenant", "a", headerSession, id); status != 404 {
		t.Errorf("after its end it is answered %d", status)
	}
	for _, tenant := range []string{"a", "b"} {
		if status, _, text := m.ask(t, t.Context(), "POST", modernList, "X-Tenant", tenant, headerVersion, standalone, "Mcp-Method", "tools/list"); status != 200 {
			t.Errorf("a request that stands alone: %d %s", status, text)
		}
	}
	if len(m.shared) != 2 {
		t.Errorf("two callers share %d sessions", len(m.shared))
	}
}

func TestBadInput_WhatAPageOfAStrangerSendsIsRefused(t *testing.T) {
	m := serveMany(t, fresh, func(o *HTTPOptions) { o.Hosts = []string{"cellwall.example"} })
	for _, row := range []struct {
		headers []string
		want    int
	}{
		{nil, 200},
		{[]string{"Host", "localhost:8642"}, 200},
		{[]string{"Host", "[::1]:80", "Origin", "http://127.0.0.1:3000"}, 200},
		{[]string{"Host", "cellwall.example", "Origin", "https://cellwall.example"}, 200},
		{[]string{"Host", "evil.example"}, 403},
		{[]string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Origin", "http://localhost.evil.example"}, 403},
		{[]string{"Host", "127.0.0.1.evil.example"}, 403},
		{[]string{"Host", "cellwall.example.evil"}, 403},
	} {
		if status, _, text := m.ask(t, t.Context(), "POST", helloBody, append(row.headers, "X-Tenant", "a")...); status != row.want {
			t.Errorf("%v: %d %s", row.headers, status, text)
		}
	}
}

func TestBadInput_OverHTTPNothingBadIsTaken(t *testing.T) {
	m := serveMany(t, fresh, nil)
	id := m.begin(t, "")
	for name, row := range map[string]struct {
		method, body string
		headers      []string
		want         int
	}{
		"no JSON":             {"POST", "hello", nil, 400},
		"nothing":             {"POST", "", nil, 400},
		"too deep":            {"POST", strings.Repeat("[", 500_000), nil, 400},
		"too long":            {"POST", `"` + strings.Repeat("x", mostMessage) + `"`, nil, 413},
		"no session":          {"POST", listBody, nil, 400},
		"a batch":             {"POST", "[" + listBody + "]", []string{headerSession, id}, 400},
		"a batch of hellos":   {"POST", "[" + helloBody + "]", nil, 400},
		"another type":        {"POST", helloBody, []string{"Content-Type", "text/plain"}, 415},
		"no events":           {"POST", helloBody, []string{"Accept", "application/json"}, 400},
		"a version of nobody": {"POST", listBody, []string{headerSession, id, headerVersion, "1999-01-01"}, 400},
		"of the future":       {"POST", modernList, []string{headerVersion, "2099-01-01"}, 400},
		"a header that lies":  {"POST", modernList, []string{headerVersion, standalone, "Mcp-Method", "ping"}, 400},
		"another method":      {"PUT", helloBody, []string{headerSession, id}, 405},
		"a stream of nobody":  {"GET", "", nil, 400},
		"an answer unasked":   {"POST", `{"jsonrpc":"2.0","id":9,"result":{}}`, []string{headerSession, id}, 202},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, text := m.ask(t, t.Context(), row.method, row.body, row.headers...)
			if status != row.want {
				t.Errorf("%d %.300s", status, text)
			}
		})
	}
	if status, _, text := m.ask(t, t.Context(), "POST", listBody, headerSession, id); status != 200 {
		t.Errorf("after all that its session is answered %d %s", status, text)
	}
}

func TestM44_WhoLeavesEndsWhatRanForThem(t *testing.T) {
	began, ended := make(chan struct{}, 4), make(chan struct{}, 4)
	m := serveMany(t, func() *scripted {
		return &scripted{state: ready(), run: func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
			began <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return Outcome{}, ctx.Err()
		}}
	}, nil)
	t.Run("a request that stands alone", func(t *testing.T) {
		body := strings.Replace(strings.Replace(modernList, "tools/list", "tools/call", 1), `"params":{`, `"params":{"name":"run_python",`, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go m.ask(t, ctx, "POST", body, headerVersion, standalone, "Mcp-Method", "tools/call", "Mcp-Name", "run_python")
		soon(t, "it begins", began)
		cancel()
		soon(t, "it ends", ended)
	})
	t.Run("a session that is ended", func(t *testing.T) {
		id := m.begin(t, "")
		go m.ask(t, context.Background(), "POST", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_python"}}`, headerSession, id)
		soon(t, "it begins", began)
		if status, _, _ := m.ask(t, t.Context(), "DELETE", "", headerSession, id); status != 204 {
			t.Errorf("its end is answered %d", status)
		}
		soon(t, "it ends", ended)
	})
	t.Run("a call that is cancelled", func(t *testing.T) {
		id := m.begin(t, "")
		go m.ask(t, context.Background(), "POST", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run_python"}}`, headerSession, id)
		soon(t, "it begins", began)
		m.ask(t, t.Context(), "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`, headerSession, id)
		soon(t, "it ends", ended)
	})
}

func TestM44_SessionsAreBoundedAndEndWhenNobodyUsesThem(t *testing.T) {
	m := serveMany(t, fresh, func(o *HTTPOptions) { o.Sessions, o.PerTenant, o.Idle = 5, 3, 300*time.Millisecond })
	for range 3 {
		m.begin(t, "a")
	}
	if status, _, text := m.ask(t, t.Context(), "POST", helloBody, "X-Tenant", "a"); status != 429 {
		t.Errorf("one too many of a tenant: %d %s", status, text)
	}
	m.begin(t, "b")
	if status, _, text := m.ask(t, t.Context(), "POST", modernList, "X-Tenant", "b", headerVersion, standalone, "Mcp-Method", "tools/list"); status != 200 {
		t.Errorf("a shared one: %d %s", status, text)
	}
	if status, _, text := m.ask(t, t.Context(), "POST", helloBody, "X-Tenant", "c"); status != 503 {
		t.Errorf("one too many of all: %d %s", status, text)
	}
	idle := make(chan struct{})
	go func() {
		for m.ended.Load() < 5 {
			time.Sleep(5 * time.Millisecond)
		}
		close(idle)
	}()
	soon(t, "idle sessions end", idle)
	m.begin(t, "a")
}

func TestM44_AThousandSessionsLeaveNothingBehind(t *testing.T) {
	most := 200 // a thousand in the long tier
	if testkit.Long() {
		most = 1000
	}
	m := serveMany(t, fresh, func(o *HTTPOptions) { o.Sessions, o.PerTenant = most, most })
	m.begin(t, "a") // connections of the client are made
	before := runtime.NumGoroutine()
	ids := make([]string, most-1)
	for i := range ids {
		ids[i] = m.begin(t, "a")
	}
	if status, _, _ := m.ask(t, t.Context(), "POST", helloBody, "X-Tenant", "b"); status != 503 {
		t.Errorf("one more is answered %d", status)
	}
	during := runtime.NumGoroutine()
	for _, id := range ids {
		if status, _, text := m.ask(t, t.Context(), "DELETE", "", "X-Tenant", "a", headerSession, id); status != 204 {
			t.Fatalf("%d %s", status, text)
		}
	}
	gone := make(chan struct{})
	go func() {
		for m.ended.Load() < int64(most-1) || runtime.NumGoroutine() > before+10 {
			time.Sleep(5 * time.Millisecond)
		}
		close(gone)
	}()
	soon(t, fmt.Sprintf("the goroutines of %d sessions end: %d before, %d during", most, before, during), gone)
}
