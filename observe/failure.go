package observe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

func (o *observer) failure() cellwall.Observation {
	r := o.in.Result
	f := o.fault()
	meant := o.didYouMean(f)
	out := cellwall.Observation{
		Status:        r.Status,
		ErrorMessage:  o.message(f),
		RetryHint:     o.hint(f, meant),
		DidYouMean:    meant,
		AttemptsLeft:  o.in.AttemptsLeft,
		StdoutExcerpt: o.stdoutExcerpt(r.Stdout),
		Artifacts:     o.artifacts(),
		Warnings:      o.warnings(),
	}
	if e := r.Error; e != nil {
		out.ErrorType = cutEnd(oneLine(e.Type), maxName)
		out.FailedLine = e.Line
		out.FailedCodeExcerpt = o.codeExcerpt(e.Excerpt)
	}
	if found := o.refusals(); out.FailedLine == 0 && len(found) > 0 {
		out.FailedLine = found[0].Line
	}
	if r.Status == cellwall.StatusError && r.Error != nil && !slices.Contains(noColumns, f.class) {
		out.AvailableColumns, out.DTypes = o.columns(f, &out.Warnings)
	}
	return out
}

// noColumns are the classes of failures to which the columns of a table are no help: code
// that did not run or is no Python, and a table that is not there.
var noColumns = []class{classSyntax, classNested, classTable, classMagic}

// message is what the exception said, or what happened when there was none.
func (o *observer) message(f fault) string {
	r := o.in.Result
	if len(o.refusals()) > 0 {
		return cutEnd(o.findings(), maxMessage)
	}
	if r.Error != nil && r.Error.Message != "" {
		return cutMiddle(o.mask(visibleLines(r.Error.Message)), maxMessage)
	}
	if p, ok := endings[f.class]; ok {
		return cutEnd(o.say(p, o.facts(f)...), maxMessage)
	}
	return ""
}

func visibleLines(s string) string {
	return strings.Trim(shown(strings.ToValidUTF8(head(s, maxScanned), "\uFFFD")), "\r\n")
}

// refusals are the findings for which code did not run; none when it did.
func (o *observer) refusals() (found []cellwall.Finding) {
	if o.in.Result.Status != cellwall.StatusRefused {
		return nil
	}
	for _, f := range o.in.Result.Findings {
		if !f.Advice {
			found = append(found, f)
		}
	}
	return found
}

// findings tells what a check objected to, one line each.
func (o *observer) findings() string {
	var lines []string
	for _, f := range o.refusals() {
		p := findingLine
		if f.Instead != "" {
			p = findingInstead
		}
		lines = append(lines, o.say(p, "at", strconv.Itoa(f.Line), "rule", f.Rule, "message", f.Message, "instead", f.Instead))
		if len(lines) == 10 {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// columns lists the columns of the table that was meant, with their types; a
// warning tells when there are more than are listed.
func (o *observer) columns(f fault, warnings *[]string) ([]string, map[string]string) {
	t := f.table
	if len(t.Columns) == 0 {
		return nil, nil
	}
	listed := t.Columns[:min(len(t.Columns), maxColumns)]
	names, types := make([]string, 0, len(listed)), make(map[string]string, len(listed))
	for i, c := range listed {
		n := o.name(c)
		names = append(names, n)
		if i < len(t.DTypes) {
			types[n] = cutEnd(oneLine(t.DTypes[i]), maxName)
		}
	}
	if len(listed) < len(t.Columns) {
		*warnings = append(*warnings, o.say(columnsCut, "table", t.Name,
			"listed", grouped(int64(len(listed))), "all", grouped(int64(len(t.Columns)))))
	}
	return names, types
}
