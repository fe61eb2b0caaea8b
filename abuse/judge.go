package abuse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// Judge returns what is wrong with the outcome of a program: what got through,
// and what the expectation demands. Nothing means that it met its end.
func Judge(p Program, o Outcome) []Problem {
	if o.Result == nil {
		return []Problem{"there is no result"}
	}
	var bad []Problem
	add := func(some []Problem) { bad = append(bad, some...) }
	add(Through(o))
	add(ending(p.Expect, o))
	add(Unreported(p, o))
	add(Demanded(p, o))
	add(consistent(o.Result))
	return bad
}

// Demanded is what the outcome breaks of the demands on what came out: texts and
// artifacts that must or must not be there, and the case's own judgment. No
// attempt that was not reported excuses it.
func Demanded(p Program, o Outcome) []Problem {
	bad := append(leaked(p.Expect, o), artifacts(p.Expect, o.Result)...)
	if p.Expect.Judge != nil {
		bad = append(bad, p.Expect.Judge(o)...)
	}
	return bad
}

// Through is the evidence that something got through, wherever it shows.
func Through(o Outcome) []Problem {
	var bad []Problem
	for what, text := range everything(o) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "ESCAPED ") {
				bad = append(bad, Problem(fmt.Sprintf("%s: %s", what, clip(strings.TrimSpace(line)))))
			}
		}
		if o.World.Token != "" && strings.Contains(text, o.World.Token) {
			bad = append(bad, Problem(what+" holds the host's token"))
		}
	}
	if o.Facts.CanaryChanged {
		bad = append(bad, "the host's canary is not as it was")
	}
	for _, c := range o.Facts.Contacts {
		bad = append(bad, Problem("the host was reached: "+c))
	}
	slices.Sort(bad)
	return bad
}

// everything is each text that came out, by where it stood.
func everything(o Outcome) map[string]string {
	all := map[string]string{"stdout": o.Result.Stdout.Text, "stderr": o.Result.Stderr.Text}
	if text, err := json.Marshal(o.Result); err == nil {
		all["result"] = string(text)
	}
	for name, data := range o.Files {
		all["artifact "+strconv.Quote(name)] = string(bytes.ToValidUTF8(data, []byte("?")))
	}
	return all
}

func ending(e Expect, o Outcome) []Problem {
	r := o.Result
	var bad []Problem
	want := e.Statuses
	if len(want) == 0 {
		want = []cellwall.Status{cellwall.StatusOK}
	}
	if !slices.Contains(want, r.Status) {
		bad = append(bad, Problem(fmt.Sprintf("status is %s (cause %q), want %v; stderr ends %q, error %s",
			r.Status, r.Cause, want, tail(r.Stderr.Text), describe(r.Error))))
	}
	if len(e.Causes) > 0 && !slices.ContainsFunc(e.Causes, func(c cellwall.Cause) bool {
		return r.Cause == c || strings.HasPrefix(string(r.Cause), string(c)+":")
	}) {
		bad = append(bad, Problem(fmt.Sprintf("cause is %q, want one of %q", r.Cause, e.Causes)))
	}
	within := time.Duration(float64(e.Within) * max(1, o.World.Slow))
	if took := r.Usage.WallMS; within > 0 && took > float64(within.Milliseconds()) {
		bad = append(bad, Problem(fmt.Sprintf("the run took %.0f ms, want at most %v", took, within)))
	}
	return bad
}

// Unreported names what the program was to attempt and did not report: of that
// nobody can say that it was held.
func Unreported(p Program, o Outcome) []Problem {
	var bad []Problem
	held := Refused(o)
	for _, attempt := range p.Expect.Held {
		if _, ok := held[attempt]; !ok {
			bad = append(bad, Problem(fmt.Sprintf("attempt %q was not reported as held", attempt)))
		}
	}
	for _, text := range p.Expect.Prints {
		if !strings.Contains(o.Result.Stdout.Text, text) {
			bad = append(bad, Problem(fmt.Sprintf("stdout lacks %q; it ends %q", text, tail(o.Result.Stdout.Text))))
		}
	}
	return bad
}

// Refused are the attempts that the program reports as held, with the reason
// that it gives. Both are a stranger's text.
func Refused(o Outcome) map[string]string { return reports(o.Result.Stdout.Text, "HELD ") }

func leaked(e Expect, o Outcome) []Problem {
	var bad []Problem
	for _, text := range e.Lacks {
		for where, all := range everything(o) {
			if strings.Contains(all, text) {
				bad = append(bad, Problem(fmt.Sprintf("%s holds %q", where, text)))
			}
		}
	}
	return bad
}

func artifacts(e Expect, r *cellwall.Result) []Problem {
	var bad []Problem
	for _, name := range e.Skipped {
		if !slices.ContainsFunc(r.SkippedArtifacts, func(s cellwall.SkippedArtifact) bool { return s.Name == name && s.Reason != "" }) {
			bad = append(bad, Problem(fmt.Sprintf("%q is not among the skipped artifacts %v", name, r.SkippedArtifacts)))
		}
		if kept(r, name) {
			bad = append(bad, Problem(fmt.Sprintf("%q was taken as an artifact", name)))
		}
	}
	for _, name := range e.Kept {
		if !kept(r, name) {
			bad = append(bad, Problem(fmt.Sprintf("%q is not among the artifacts; skipped: %v", name, r.SkippedArtifacts)))
		}
	}
	return bad
}

func kept(r *cellwall.Result, name string) bool {
	return slices.ContainsFunc(r.Artifacts, func(a cellwall.Artifact) bool { return a.Name == name })
}

// consistent is what is true of every result, however its code ended.
func consistent(r *cellwall.Result) []Problem {
	var bad []Problem
	if r.OK != (r.Status == cellwall.StatusOK) {
		bad = append(bad, Problem(fmt.Sprintf("ok is %v at status %s", r.OK, r.Status)))
	}
	if r.Observation.OK != r.OK {
		bad = append(bad, "observation and result differ in ok")
	}
	if r.Status == cellwall.StatusOK && (r.Cause != cellwall.CauseNone || r.Error != nil) {
		bad = append(bad, Problem(fmt.Sprintf("status ok with cause %q and error %s", r.Cause, describe(r.Error))))
	}
	if r.Status != cellwall.StatusOK && r.Cause == cellwall.CauseNone {
		bad = append(bad, Problem(fmt.Sprintf("status %s has no cause", r.Status)))
	}
	if _, err := json.Marshal(r); err != nil {
		bad = append(bad, Problem("the result is no JSON: "+err.Error()))
	}
	return bad
}

// reports returns attempt -> detail of the lines with that prefix.
func reports(text, prefix string) map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), prefix)
		if !ok {
			continue
		}
		end := strings.IndexAny(rest, ": ")
		if end < 0 {
			end = len(rest)
		}
		out[rest[:end]] = strings.TrimLeft(rest[end:], ": ")
	}
	return out
}

func describe(e *cellwall.ExecutionError) string {
	if e == nil {
		return "none"
	}
	return strconv.Quote(clip(e.Type + ": " + e.Message))
}

func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

func tail(s string) string {
	if len(s) > 300 {
		return "…" + s[len(s)-300:]
	}
	return s
}
