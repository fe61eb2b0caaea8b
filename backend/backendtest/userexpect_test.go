package backendtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func sample() *cellwall.Result {
	return &cellwall.Result{
		Status: cellwall.StatusError, Cause: cellwall.CauseException,
		Error:  &cellwall.ExecutionError{Type: "pandas.errors.KeyError", Message: "'revenu'", Line: 2, Traceback: "line 2"},
		Stdout: cellwall.Output{Text: "one\ntwo\n", Bytes: 8}, Stderr: cellwall.Output{Text: "warn\n"},
		Warnings: []string{"a Glyph is missing"},
		Usage:    cellwall.Usage{WallMS: 50},
		Results: []cellwall.Rich{{IsMainResult: true, Data: map[string]json.RawMessage{
			"text/plain": json.RawMessage(`"North 1600.75"`), "application/json": json.RawMessage(`{"key":"a"}`),
		}}},
		Artifacts:   []cellwall.Artifact{{Name: "x.pdf", MediaType: "application/pdf", Bytes: 10}},
		Observation: cellwall.Observation{DidYouMean: []string{"revenue"}, StdoutExcerpt: "one", RetryHint: "use revenue"},
	}
}

// TestUserExpectations holds each assertion to a result that meets it and to
// one that does not.
func TestUserExpectations(t *testing.T) {
	for _, tc := range []struct{ name, meets, misses string }{
		{"stdout_equals", `"one\ntwo\n"`, `"one"`},
		{"stdout_contains", `["one","two"]`, `["three"]`},
		{"stdout_contains_if_ok", `["not looked at"]`, ``},
		{"stdout_lacks", `["three"]`, `["two"]`},
		{"stdout_bytes", `8`, `9`},
		{"stdout_truncated", `false`, `true`},
		{"stderr_contains", `["warn"]`, `["error"]`},
		{"stderr_lacks", `["error"]`, `["warn"]`},
		{"no_error", `false`, `true`},
		{"error_type", `["ValueError","KeyError"]`, `["ValueError"]`},
		{"error_type_if_error", `["KeyError"]`, `["ValueError"]`},
		{"error_message_contains", `["revenu"]`, `["cost"]`},
		{"error_line", `[2,3]`, `[1]`},
		{"traceback_contains", `["line 2"]`, `["line 3"]`},
		{"traceback_max_chars", `6`, `5`},
		{"exit_code", `1`, `0`},
		{"wall_ms_max", `50`, `49`},
		{"result_json_max_bytes", `100000`, `10`},
		{"results", `{"min":1,"main":true,"text_contains":["North"],"json_contains_any":["\"a\""]}`, `{"min":2}`},
		{"results", `{"mime_count":{"text/plain":1}}`, `{"mime_count":{"image/png":1}}`},
		{"results", `{"text_max_bytes":20}`, `{"text_max_bytes":5}`},
		{"results", `{"json_contains_any":["zz","key"]}`, `{"json_contains_any":["zz"]}`},
		{"results", `{}`, `{"none":true}`},
		{"png", ``, `{"min_width":1}`},
		{"artifacts", `[{"name":"x.pdf","media_type_contains":"pdf","min_bytes":10}]`, `[{"name":"x.pdf","min_bytes":11}]`},
		{"artifacts", `[]`, `[{"name":"y.pdf"}]`},
		{"observation", `{"has":["did_you_mean"]}`, `{"has":["available_columns"]}`},
		{"observation", `{"contains":{"did_you_mean":["revenue"]}}`, `{"contains":{"did_you_mean":["rev"]}}`},
		{"observation", `{"contains":{"retry_hint":["revenue"]}}`, `{"contains":{"retry_hint":["cost"]}}`},
		{"observation", `{"any_text":["REVENUE"]}`, `{"any_text":["cost"]}`},
		{"observation", `{"lacks":["available_columns"]}`, `{"lacks":["retry_hint"]}`},
		{"observation", `{"max_chars":{"stdout_excerpt":3}}`, `{"max_chars":{"stdout_excerpt":2}}`},
		{"observation", `{"max_count":{"stdout_excerpt":{"substring":"o","times":1}}}`, `{"max_count":{"stdout_excerpt":{"substring":"o","times":0}}}`},
		{"observation_if_error", `{"any_text":["revenue"]}`, `{"any_text":["cost"]}`},
		{"observation_any_of_installed", `["revenue"]`, `["prophet"]`},
		{"warnings_any", `["glyph"]`, `["sample"]`},
		{"warnings_none", `["sample"]`, `["glyph"]`},
		{"findings_any", ``, `["import"]`},
	} {
		for text, want := range map[string]bool{tc.meets: true, tc.misses: false} {
			if text == "" {
				continue
			}
			var e userExpect
			if err := json.Unmarshal([]byte(`{"`+tc.name+`":`+text+`}`), &e); err != nil {
				t.Fatalf("%s %s: %v", tc.name, text, err)
			}
			if bad := e.judge(sample()); (len(bad) == 0) != want {
				t.Errorf("%s %s: problems %q", tc.name, text, bad)
			}
		}
	}
}

func TestUnknownExpectationIsAnError(t *testing.T) {
	var e userExpect
	err := json.Unmarshal([]byte(`{"status":["ok"],"stdout_matches":"x"}`), &e)
	if err == nil || !strings.Contains(err.Error(), "stdout_matches") {
		t.Errorf("error is %v", err)
	}
}

func TestDiffer(t *testing.T) {
	decode := func(text string) any {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := decode(`{"sum":10169050.05,"names":["a","b"],"n":{"x":1}}`)
	if bad := differ("all", want, decode(`{"sum":10169050.0500001,"names":["a","b"],"n":{"x":1}}`)); len(bad) > 0 {
		t.Errorf("equal facts differ: %q", bad)
	}
	for _, other := range []string{
		`{"sum":10169061,"names":["a","b"],"n":{"x":1}}`, `{"sum":10169050.05,"names":["a"],"n":{"x":1}}`,
		`{"sum":10169050.05,"names":["a","c"],"n":{"x":1}}`, `{"sum":10169050.05,"names":["a","b"],"n":{"x":null}}`,
		`{"sum":"10169050.05","names":["a","b"],"n":{"x":1}}`, `{"sum":10169050.05,"names":["a","b"]}`,
	} {
		if len(differ("all", want, decode(other))) == 0 {
			t.Errorf("%s passes for the facts", other)
		}
	}
}
