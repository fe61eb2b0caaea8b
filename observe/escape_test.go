package observe

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestD101_WhatReadsOtherwiseIsEscapedForAModel(t *testing.T) {
	const source = "access = '\u202euser\u2066' # \u200bzero \U000e0041tag"
	const want = `access = '\u202euser\u2066' # \u200bzero \U000e0041tag`
	r := &cellwall.Result{
		Status: cellwall.StatusError, Cause: cellwall.CauseException, Stdout: cellwall.Output{Text: source},
		Error: &cellwall.ExecutionError{Type: "Error\u202e", Message: source, Excerpt: source, Line: 1},
	}
	got := Observe(Input{Result: r})
	for field, text := range map[string]string{
		"stdout": got.StdoutExcerpt, "message": got.ErrorMessage, "code": got.FailedCodeExcerpt,
	} {
		if text != want {
			t.Errorf("%s is %q, want %q", field, text, want)
		}
	}
	if got.ErrorType != `Error\u202e` {
		t.Errorf("type is %q", got.ErrorType)
	}
}

func TestD101_OrdinaryTextStaysAsItIs(t *testing.T) {
	const text = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u05e9\u05dc\u05d5\u05dd\u200f \U0001f469\u200d\U0001f52c \u9500\u552e"
	if got := shown(text); got != text {
		t.Errorf("shown is %q, want %q", got, text)
	}
	if got := oneLine(text); got != strings.TrimSpace(text) {
		t.Errorf("one line is %q", got)
	}
}
