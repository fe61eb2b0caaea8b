package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// summarize says on stderr, for a person, how the run went.
func (p *program) summarize(r *cellwall.Result, figures []string, out string) {
	s := p.stderr
	for _, rich := range r.Results {
		if text := plainText(rich); text != "" {
			s.say(faint, "result: ", shortResult(text))
		}
	}
	p.summarizeData(plain, r)
	p.summarizeFailure(r)
	p.summarizeFiles(r, figures, out)
	for _, w := range r.Warnings {
		s.say(plain, "warning: ", w)
	}
	p.sayDegraded(r)
	p.sayEnd(r)
}

func (p *program) summarizeFailure(r *cellwall.Result) {
	s, o := p.stderr, r.Observation
	p.sayFindings(r)
	if e := r.Error; e != nil {
		where := ""
		if e.Line > 0 {
			where = fmt.Sprintf(" (line %d)", e.Line)
		}
		s.say(red, "error: ", firstLines(e.Type+": "+e.Message, 20)+where)
		if e.Excerpt != "" {
			s.say(plain, "", firstLines(e.Excerpt, 20))
		}
	}
	p.sayMeant(r)
	if o.RetryHint != "" {
		s.say(plain, "hint: ", o.RetryHint)
	}
	p.sayElsewhere(r)
}

func (p *program) summarizeFiles(r *cellwall.Result, figures []string, out string) {
	s := p.stderr
	for _, a := range r.Artifacts {
		p.sayArtifact(plain, a)
	}
	for _, path := range figures {
		s.say(plain, "figure: ", path)
	}
	if n := len(r.Artifacts) + countPictures(r); n > 0 && out == "" {
		s.say(plain, "hint: ", "add --out DIR to save artifacts and figures as files")
	}
}

// sayFindings says what was refused before anything ran, and what was advised.
func (p *program) sayFindings(r *cellwall.Result) {
	for _, f := range r.Findings {
		text := fmt.Sprintf("line %d: %s (%s)", f.Line, f.Message, f.Rule)
		if f.Instead != "" {
			text += "; instead: " + f.Instead
		}
		if f.Advice {
			p.stderr.say(plain, "advice: ", text)
			continue
		}
		p.stderr.say(red, "refused: ", text)
	}
}

func (p *program) sayMeant(r *cellwall.Result) {
	if meant := r.Observation.DidYouMean; len(meant) > 0 {
		p.stderr.say(plain, "did you mean: ", strings.Join(meant, ", "))
	}
}

// sayArtifact names an artifact, where it was saved if it was.
func (p *program) sayArtifact(mark color, a cellwall.Artifact) {
	where := cmp.Or(a.SavedTo, a.Name)
	p.stderr.say(mark, "artifact: ", fmt.Sprintf("%s (%s, %s)", where, a.Type, formatSize(a.Bytes)))
}

// plainText returns the text of a displayed value, "" for a picture.
func plainText(r cellwall.Rich) string {
	for mime := range pictures {
		if _, ok := r.Data[mime]; ok {
			return ""
		}
	}
	var text string
	if json.Unmarshal(r.Data["text/plain"], &text) != nil {
		return ""
	}
	if strings.Contains(text, "\n") {
		return "\n" + text
	}
	return text
}

// maxResultLines is more than pandas shows of a table.
const maxResultLines = 64

// shortResult is as much of a result as a person reads in passing.
func shortResult(text string) string {
	body := strings.TrimPrefix(text, "\n") // in front of one with several lines
	short := firstLines(body, maxResultLines)
	if strings.Count(strings.TrimRight(body, "\n"), "\n") >= maxResultLines {
		short += "; print() shows all"
	}
	return text[:len(text)-len(body)] + short
}

// firstLines are the first n lines, and how many there are behind them.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	switch more := len(lines) - n; {
	case more <= 0:
		return strings.Join(lines, "\n")
	case more == 1:
		return strings.Join(lines[:n], "\n") + "\n… 1 more line"
	default:
		return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n… %d more lines", more)
	}
}

func howLong(u cellwall.Usage) string {
	return fmt.Sprintf(" in %s, start %s", roundedMS(u.WallMS), roundedMS(u.StartupMS)) + howMuch(u)
}

// howMuch says how much memory was used, where that is known.
func howMuch(u cellwall.Usage) string {
	if u.MemoryPeakBytes <= 0 {
		return ""
	}
	return ", memory " + formatSize(u.MemoryPeakBytes)
}

// roundedMS is rounded for milliseconds.
func roundedMS(ms float64) string { return rounded(time.Duration(ms * float64(time.Millisecond))) }
