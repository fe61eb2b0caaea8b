package main

import (
	"strings"
	"testing"
)

// TestM15_WordsThatTheCodeChoosesAreMasked has personal data where a program names
// things: letters may stand beside it there.
func TestM15_WordsThatTheCodeChoosesAreMasked(t *testing.T) {
	s := maskedService(t)
	const phone, mail = "13812345678", "alice@example.com"
	show := func(key string) string {
		return "class X:\n  def _repr_mimebundle_(s, **k): return {'text/plain': 'x', '" + key + "': 'y', 'application/x-mine+json': {'a': 1}}\nX()"
	}
	const dropped = "1 forms of displayed values were dropped"
	for name, test := range map[string]struct {
		code, says string
	}{
		"a type that is none":      {show(mail), dropped},
		"a type with a number":     {show("text/x" + phone), dropped},
		"a class of exceptions":    {`raise type("E` + phone + `", (Exception,), {})("x")`, `"type":"E*******5678"`},
		"an address as a class":    {`raise type("` + mail + `", (Exception,), {})("x")`, `"type":"a****@example.com"`},
		"a cause of an exception":  {"T = type(f'E138{12345678}', (Exception,), {})\ntry:\n  raise T('x')\nexcept T as e:\n  raise ValueError from e", "ValueError"},
		"a type as it should be":   {show("text/x-mine"), `"text/x-mine":"y"`},
		"one of all kinds of JSON": {show("application/vnd.vega.v5+json"), `"application/vnd.vega.v5+json":"y"`},
	} {
		for _, way := range [][]string{nil, {"Accept", "text/event-stream"}} {
			status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution(test.code), way...)
			if status != 200 || strings.Contains(text, phone) || strings.Contains(text, mail) || !strings.Contains(text, test.says) {
				t.Errorf("%s: %d %.3000s", name, status, text)
			}
			if !strings.Contains(text, "mimebundle") && strings.Contains(test.code, "mimebundle") && !strings.Contains(text, "application/x-mine+json") {
				t.Errorf("%s: a form that may be told is dropped", name)
			}
		}
	}
}
