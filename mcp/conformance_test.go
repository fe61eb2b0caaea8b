package mcp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// The scenarios of the official runner that the fixture passes: all there are for a
// server, required or not, but those of extensions that Cellwall does not speak. The
// product passes those that ask for no tool of the runner's, see
// TestM44_OverHTTP_Conformance in cmd/cellwall.
var scenarios = map[string][]string{
	"2025-11-25": {
		"server-initialize", "logging-set-level", "ping", "completion-complete", "tools-list", "tools-call-simple-text", "tools-call-image",
		"tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error",
		"tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "server-sse-multiple-streams",
		"elicitation-sep1330-enums", "resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read",
		"resources-subscribe", "resources-unsubscribe", "prompts-list", "prompts-get-simple", "prompts-get-with-args",
		"prompts-get-embedded-resource", "prompts-get-with-image", "dns-rebinding-protection",
		"server-session-lifecycle", "json-schema-2020-12", "server-sse-polling",
	},
	"2026-07-28": {
		"server-stateless", "completion-complete", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio",
		"tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error", "tools-call-with-progress", "server-sse-multiple-streams",
		"resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read", "sep-2164-resource-not-found",
		"prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image",
		"dns-rebinding-protection", "caching", "input-required-result-basic-elicitation", "input-required-result-basic-sampling",
		"input-required-result-basic-list-roots", "input-required-result-request-state", "input-required-result-multiple-input-requests",
		"input-required-result-multi-round", "input-required-result-missing-input-response", "input-required-result-non-tool-request",
		"input-required-result-result-type", "input-required-result-unsupported-methods", "input-required-result-tampered-state",
		"input-required-result-capability-check", "input-required-result-ignore-extra-params", "input-required-result-validate-input",
		"json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation",
	},
}

// ended is how the runner says that a scenario came out.
var ended = regexp.MustCompile(`(?m)^\s*(✓|✗|⚠)\s+([a-z0-9-]+): (\d+) passed, (\d+) failed`)

func TestM44_TheFixturePassesTheOfficialConformance(t *testing.T) {
	h := NewHTTP(HTTPOptions{Begin: fixture})
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.Serve(w, r, Caller{}); err != nil {
			http.Error(w, err.Error(), statusOf(err))
		}
	})}}
	server.Start()
	defer server.Close()
	defer h.Close()
	for revision, all := range scenarios {
		t.Run(revision, func(t *testing.T) {
			if !testkit.Long() {
				conform(t, server.URL, "--scenario", "tools-call-with-progress", "--spec-version", revision)
				return
			}
			// Exit 1 comes of the scenarios that are required; those of extensions fail.
			said := conform(t, server.URL, "--requirements", revision)
			var passed []string
			for _, line := range ended.FindAllStringSubmatch(said, -1) {
				if line[4] == "0" {
					passed = append(passed, line[2])
				} else if slices.Contains(all, line[2]) {
					t.Errorf("%s", line[0])
				}
			}
			for _, one := range all {
				if !slices.Contains(passed, one) {
					t.Errorf("%s did not pass", one)
				}
			}
			t.Logf("figures: %s: %d scenarios passed", revision, len(passed))
		})
	}
}

// conform runs the runner, which must be content.
func conform(t *testing.T, url string, options ...string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), "../scripts/mcp-conformance.sh", append([]string{url}, options...)...)
	out, err := run.CombinedOutput()
	if run.ProcessState != nil && run.ProcessState.ExitCode() == 77 {
		t.Skipf("the runner cannot run here, proof: %s", out)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return strings.ToValidUTF8(string(out), "?")
}
