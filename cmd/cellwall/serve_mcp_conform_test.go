package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// The scenarios of the official runner that ask for none of its own tools: the
// service itself passes them. The others pass on the same server with these tools,
// see TestM44_TheFixturePassesTheOfficialConformance in mcp.
var productScenarios = map[string][]string{
	"2025-11-25": {
		"server-initialize", "logging-set-level", "ping", "tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list",
		"dns-rebinding-protection", "server-session-lifecycle",
	},
	"2026-07-28": {"tools-list", "server-sse-multiple-streams", "resources-list", "sep-2164-resource-not-found", "prompts-list", "dns-rebinding-protection", "http-header-validation"},
}

func TestM44_OverHTTP_Conformance(t *testing.T) {
	s := fakeService(t)
	key := makeKey(t, s, "conformance", "execute")
	target, err := url.Parse(s.tcp)
	if err != nil {
		t.Fatal(err)
	}
	// The runner cannot send a key: this adds one, and changes nothing else.
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-API-Key", key)
	}}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: proxy}}
	server.Start()
	defer server.Close()
	for revision, all := range productScenarios {
		if !testkit.Long() {
			all = all[:1]
		}
		for _, one := range all {
			t.Run(revision+" "+one, func(t *testing.T) {
				run := exec.CommandContext(t.Context(), "../../scripts/mcp-conformance.sh", server.URL+"/mcp", "--scenario", one, "--spec-version", revision)
				out, err := run.CombinedOutput()
				if run.ProcessState != nil && run.ProcessState.ExitCode() == 77 {
					t.Skipf("the runner cannot run here, proof: %s", out)
				}
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}
