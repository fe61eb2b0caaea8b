package backendtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// userExpect is the expectation of a user case: every field that is set is one
// assertion. An unknown field fails to decode, so that none is passed over.
type userExpect struct {
	Status               []string           `json:"status"`
	ExitCode             *int               `json:"exit_code"`
	StdoutEquals         *string            `json:"stdout_equals"`
	StdoutContains       []string           `json:"stdout_contains"`
	StdoutContainsIfOK   []string           `json:"stdout_contains_if_ok"`
	StdoutLacks          []string           `json:"stdout_lacks"`
	StdoutBytes          *int64             `json:"stdout_bytes"`
	StdoutTruncated      *bool              `json:"stdout_truncated"`
	StderrContains       []string           `json:"stderr_contains"`
	StderrLacks          []string           `json:"stderr_lacks"`
	NoError              bool               `json:"no_error"`
	ErrorType            []string           `json:"error_type"`
	ErrorTypeIfError     []string           `json:"error_type_if_error"`
	ErrorMessageContains []string           `json:"error_message_contains"`
	ErrorLine            []int              `json:"error_line"`
	TracebackContains    []string           `json:"traceback_contains"`
	TracebackMaxChars    int                `json:"traceback_max_chars"`
	Results              *resultsExpect     `json:"results"`
	PNG                  *pngExpect         `json:"png"`
	Artifacts            []artifactExpect   `json:"artifacts"`
	Observation          *observationExpect `json:"observation"`
	ObservationIfError   *observationExpect `json:"observation_if_error"`
	AnyInstalled         []string           `json:"observation_any_of_installed"`
	WarningsAny          []string           `json:"warnings_any"`
	WarningsNone         []string           `json:"warnings_none"`
	FindingsAny          []string           `json:"findings_any"`
	FindingLine          []int              `json:"finding_line"`
	WallMSMax            float64            `json:"wall_ms_max"`
	ResultJSONMaxBytes   int                `json:"result_json_max_bytes"`
}

// UnmarshalJSON refuses fields that are not known.
func (e *userExpect) UnmarshalJSON(text []byte) error {
	type plain userExpect
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(e))
}

func (e userExpect) statuses() []cellwall.Status {
	var all []cellwall.Status
	for _, s := range e.Status {
		all = append(all, cellwall.Status(s))
	}
	return all
}

// verdict gathers what is wrong.
type verdict struct{ bad []abuse.Problem }

func (v *verdict) demand(ok bool, format string, args ...any) {
	if !ok {
		v.bad = append(v.bad, abuse.Problem(fmt.Sprintf(format, args...)))
	}
}

// judge returns every assertion that does not hold, the status excepted: that
// is abuse.Judge's.
func (e userExpect) judge(r *cellwall.Result) []abuse.Problem {
	v := &verdict{}
	e.streams(v, r)
	e.failure(v, r)
	e.size(v, r)
	if e.Results != nil {
		e.Results.judge(v, r)
	}
	if e.PNG != nil {
		e.PNG.judge(v, r)
	}
	for _, a := range e.Artifacts {
		a.judge(v, r)
	}
	e.told(v, r)
	return v.bad
}

func (e userExpect) streams(v *verdict, r *cellwall.Result) {
	out, errOut := r.Stdout.Text, r.Stderr.Text
	if e.StdoutEquals != nil {
		v.demand(out == *e.StdoutEquals, "stdout is %q, want %q", clip(out), *e.StdoutEquals)
	}
	contains := e.StdoutContains
	if r.OK {
		contains = append(slices.Clone(contains), e.StdoutContainsIfOK...)
	}
	for _, text := range contains {
		v.demand(strings.Contains(out, text), "stdout lacks %q: %q", text, clip(out))
	}
	for _, text := range e.StdoutLacks {
		v.demand(!strings.Contains(out, text), "stdout holds %q: %q", text, clip(out))
	}
	for _, text := range e.StderrContains {
		v.demand(strings.Contains(errOut, text), "stderr lacks %q: %q", text, clip(errOut))
	}
	for _, text := range e.StderrLacks {
		v.demand(!strings.Contains(errOut, text), "stderr holds %q: %q", text, clip(errOut))
	}
	if e.StdoutBytes != nil {
		v.demand(r.Stdout.Bytes == *e.StdoutBytes, "stdout counts %d bytes, want %d", r.Stdout.Bytes, *e.StdoutBytes)
	}
	if e.StdoutTruncated != nil {
		v.demand(r.Stdout.Truncated == *e.StdoutTruncated, "stdout truncated is %v", r.Stdout.Truncated)
	}
}

func (e userExpect) failure(v *verdict, r *cellwall.Result) {
	if e.NoError {
		v.demand(r.Error == nil, "error is %+v, want none", r.Error)
	}
	failed := r.Error
	if failed == nil {
		failed = &cellwall.ExecutionError{}
	}
	short := failed.Type[strings.LastIndexByte(failed.Type, '.')+1:]
	if len(e.ErrorType) > 0 {
		v.demand(slices.Contains(e.ErrorType, short), "error type is %q, want one of %q", failed.Type, e.ErrorType)
	}
	if len(e.ErrorTypeIfError) > 0 && r.Status == cellwall.StatusError {
		v.demand(slices.Contains(e.ErrorTypeIfError, short), "error type is %q, want one of %q", failed.Type, e.ErrorTypeIfError)
	}
	for _, text := range e.ErrorMessageContains {
		v.demand(strings.Contains(failed.Message, text), "error message lacks %q: %q", text, failed.Message)
	}
	if len(e.ErrorLine) > 0 {
		v.demand(slices.Contains(e.ErrorLine, failed.Line), "error line is %d, want one of %v", failed.Line, e.ErrorLine)
	}
	for _, text := range e.TracebackContains {
		v.demand(strings.Contains(failed.Traceback, text), "traceback lacks %q: %q", text, clip(failed.Traceback))
	}
	if e.TracebackMaxChars > 0 {
		n := len([]rune(failed.Traceback))
		v.demand(n <= e.TracebackMaxChars, "traceback has %d characters, want at most %d", n, e.TracebackMaxChars)
	}
}

func (e userExpect) size(v *verdict, r *cellwall.Result) {
	if e.ExitCode != nil {
		v.demand(exitOf(r.Status) == *e.ExitCode, "exit code is %d, want %d", exitOf(r.Status), *e.ExitCode)
	}
	if e.WallMSMax > 0 {
		v.demand(r.Usage.WallMS <= e.WallMSMax, "it took %.0f ms, want at most %.0f", r.Usage.WallMS, e.WallMSMax)
	}
	text, err := json.Marshal(r)
	v.demand(err == nil, "the result is no JSON: %v", err)
	if e.ResultJSONMaxBytes > 0 {
		v.demand(len(text) <= e.ResultJSONMaxBytes, "the result has %d bytes, want at most %d", len(text), e.ResultJSONMaxBytes)
	}
}

// exitOf is the command line's exit code for a status.
func exitOf(s cellwall.Status) int {
	switch s {
	case cellwall.StatusOK:
		return 0
	case cellwall.StatusRefused:
		return 3
	case cellwall.StatusInternalError:
		return 4
	}
	return 1
}

func (e userExpect) told(v *verdict, r *cellwall.Result) {
	observed, err := json.Marshal(r.Observation)
	v.demand(err == nil, "the observation is no JSON: %v", err)
	if e.Observation != nil {
		e.Observation.judge(v, observed)
	}
	if e.ObservationIfError != nil && !r.OK {
		e.ObservationIfError.judge(v, observed)
	}
	for _, name := range e.AnyInstalled {
		v.demand(strings.Contains(string(observed), name), "the observation lists no %s: %s", name, clip(string(observed)))
	}
	warnings := strings.ToLower(strings.Join(r.Warnings, "\n"))
	if len(e.WarningsAny) > 0 {
		v.demand(anyOf(warnings, e.WarningsAny), "warnings %q hold none of %q", r.Warnings, e.WarningsAny)
	}
	for _, text := range e.WarningsNone {
		v.demand(!strings.Contains(warnings, strings.ToLower(text)), "warnings hold %q: %q", text, r.Warnings)
	}
	var rules []string
	for _, f := range r.Findings {
		rules = append(rules, f.Rule+": "+f.Message)
		if len(e.FindingLine) > 0 {
			v.demand(slices.Contains(e.FindingLine, f.Line), "finding in line %d, want one of %v", f.Line, e.FindingLine)
		}
	}
	if len(e.FindingsAny) > 0 {
		v.demand(anyOf(strings.ToLower(strings.Join(rules, "\n")), e.FindingsAny), "findings %q hold none of %q", rules, e.FindingsAny)
	}
}

// anyOf reports whether lower-case text holds one of the words, in any case.
func anyOf(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, strings.ToLower(w)) })
}

func clip(s string) string {
	if len(s) > 400 {
		return s[:400] + "…"
	}
	return s
}
