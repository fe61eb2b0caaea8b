package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// hostile fills every field that comes out of a sandbox with s, many times.
func hostile(s string) Input {
	raw, _ := json.Marshal(s)
	e := cellwall.ExecutionError{Type: s, Message: s, Traceback: s, Excerpt: s, Name: s, Line: -5}
	in := Input{Result: &cellwall.Result{Status: cellwall.StatusError, Error: &e}, ExpectedArtifacts: []string{s}}
	in.Result.Stdout = cellwall.Output{Text: s, Bytes: 1 << 40, Truncated: true}
	for i := range 300 {
		name := fmt.Sprint(i, s)
		in.Notices = append(in.Notices, cellwall.Notice{Code: "missing_values", Args: map[string]string{"columns": name, s: s}})
		in.Result.Artifacts = append(in.Result.Artifacts, cellwall.Artifact{Type: "image", Path: name})
		in.Result.SkippedArtifacts = append(in.Result.SkippedArtifacts, cellwall.SkippedArtifact{Name: name, Reason: name})
		in.Result.Results = append(in.Result.Results, cellwall.Rich{Data: map[string]json.RawMessage{"text/plain": raw, "application/json": raw}})
		in.Refused = append(in.Refused, cellwall.Refusal{Call: s})
		in.Result.Findings = append(in.Result.Findings, cellwall.Finding{Rule: s, Message: s})
	}
	var columns []string
	for i := range 5000 {
		columns = append(columns, fmt.Sprint(s[:min(len(s), 200)], i))
	}
	in.Tables = []cellwall.TableInScope{{Name: s, Columns: columns, DTypes: columns}}
	return in
}

func check(t *testing.T, in Input) {
	t.Helper()
	o := Observe(in)
	length := func(what, s string, most int) {
		if n := utf8.RuneCountInString(s); n > most || !utf8.ValidString(s) {
			t.Errorf("%s has %d characters, at most %d; valid: %v", what, n, most, utf8.ValidString(s))
		}
	}
	length("error_message", o.ErrorMessage, maxMessage)
	length("failed_code_excerpt", o.FailedCodeExcerpt, maxExcerpt)
	length("stdout_excerpt", o.StdoutExcerpt, maxStdout)
	length("result_excerpt", o.ResultExcerpt, maxResult)
	length("retry_hint", o.RetryHint, 3000)
	length("error_type", o.ErrorType, maxName)
	if len(o.AvailableColumns) > maxColumns || len(o.DTypes) > maxColumns || len(o.DidYouMean) > maxSuggestions {
		t.Errorf("%d columns, %d types, %d suggestions", len(o.AvailableColumns), len(o.DTypes), len(o.DidYouMean))
	}
	if len(o.Warnings) > maxWarnings+3 || len(o.Artifacts) > maxListed {
		t.Errorf("%d warnings, %d artifacts", len(o.Warnings), len(o.Artifacts))
	}
	for _, w := range append(append(o.Warnings, o.AvailableColumns...), o.DidYouMean...) {
		length("a warning or name", w, 3*maxWarning)
	}
	if _, err := json.Marshal(o); err != nil {
		t.Errorf("observation is no JSON: %v", err)
	}
}

func TestM10_M11_NothingThatASandboxSaysBreaksTheBounds(t *testing.T) {
	for _, s := range []string{
		"", "x", "\x00", "\xff\xfe", strings.Repeat("长", 20_000), strings.Repeat("{name}", 5000), strings.Repeat("\x1b[", 5000),
		strings.Repeat("a\r", 5000), "[" + strings.Repeat("'", 9999), "  File \"", "\n  File \"\n", `None of [Index([`, "{", `"`, "'",
	} {
		for _, status := range []cellwall.Status{cellwall.StatusError, cellwall.StatusOK, cellwall.StatusRefused, "no such status"} {
			in := hostile(s)
			in.Result.Status, in.Result.OK = status, status == cellwall.StatusOK
			check(t, in)
		}
	}
}

func FuzzObserve(f *testing.F) {
	f.Add("KeyError", "'a'", "Traceback\n  File \"<cell>\", line 1\n    df['a']\n", "a")
	f.Add("ValueError", "time data \"x", "", "")
	f.Add("KeyError", "None of [Index(['a'", "  File \"", "[")
	f.Fuzz(func(t *testing.T, kind, message, trace, name string) {
		in := failed(cellwall.ExecutionError{Type: kind, Message: message, Traceback: trace, Name: name, Excerpt: trace})
		in.Result.Stdout.Text = message + trace
		check(t, in)
		in.Result.OK = true
		check(t, in)
	})
}

func BenchmarkObserveSuccess(b *testing.B) {
	in := Input{Result: &cellwall.Result{OK: true, Status: cellwall.StatusOK, Stdout: cellwall.Output{Text: "region\nNorth 12\nSouth 9\n", Bytes: 24}}}
	for b.Loop() {
		Observe(in)
	}
}

func BenchmarkObserveFailure(b *testing.B) {
	in := failed(cellwall.ExecutionError{Type: "KeyError", Message: "'revenu'", Name: "revenu", Line: 1, Excerpt: "df['revenu']"})
	for b.Loop() {
		Observe(in)
	}
}
