package abuse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// text is one source of a case whose attack is the text itself, and its end.
type text struct {
	source string
	rule   string // refused before the run, with a finding of this rule
	says   string // of the error's message; "" with rule "" = ends ok
	prints string // stands in stdout
	line   int    // of the error; 0 = not looked at
	either bool   // ends ok, or with an error whose message holds says
}

// program runs one of the texts after the other and demands of each its end.
func program(all []text) Program {
	return Program{
		Text: func(w World) string { return all[w.Run%len(all)].source },
		Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusError, cellwall.StatusRefused},
			Judge:    func(o Outcome) []Problem { return all[o.World.Run%len(all)].judge(o) },
		},
	}
}

func (t text) judge(o Outcome) []Problem {
	r := o.Result
	var bad []Problem
	miss := func(format string, args ...any) { bad = append(bad, Problem(fmt.Sprintf(format, args...))) }
	switch {
	case t.rule != "":
		bad = append(bad, refusedBy(r, t.rule)...)
	case t.says == "" || t.either && r.OK:
		if !r.OK {
			miss("status is %s, want ok; error %s", r.Status, describe(r.Error))
		}
	case r.Error == nil:
		miss("status is %s and there is no error, want one that says %q", r.Status, t.says)
	default:
		if !strings.Contains(r.Error.Message, t.says) {
			miss("the error is %s, want one that says %q", describe(r.Error), t.says)
		}
		if r.Observation.RetryHint == "" {
			miss("the observation gives no way forward")
		}
		if t.line != 0 && r.Error.Line != t.line {
			miss("the error stands in line %d, want %d", r.Error.Line, t.line)
		}
	}
	if t.prints != "" && (r.OK || !t.either) && !strings.Contains(r.Stdout.Text, t.prints) {
		miss("stdout lacks %q: %q", t.prints, tail(r.Stdout.Text))
	}
	if len(bad) > 0 {
		bad = append(bad, Problem(fmt.Sprintf("the source begins %q", clip(t.source[:min(len(t.source), 60)]))))
	}
	return bad
}

// refusedBy demands that nothing ran, that the rule says why, and that a model
// hears it.
func refusedBy(r *cellwall.Result, rule string) []Problem {
	var bad []Problem
	if r.Status != cellwall.StatusRefused || r.Cause != cellwall.CausePolicy {
		bad = append(bad, Problem(fmt.Sprintf("status is %s (%s), want refused by %s", r.Status, r.Cause, rule)))
	}
	if !slices.ContainsFunc(r.Findings, func(f cellwall.Finding) bool { return f.Rule == rule && f.Line > 0 && f.Message != "" }) {
		bad = append(bad, Problem(fmt.Sprintf("no finding of rule %s: %v", rule, r.Findings)))
	}
	if r.Usage.WallMS != 0 || r.Stdout.Bytes != 0 || r.Stderr.Bytes != 0 {
		bad = append(bad, "something ran")
	}
	if r.Observation.ErrorMessage == "" || r.Observation.RetryHint == "" {
		bad = append(bad, "the observation does not say why, or what to do")
	}
	return bad
}
