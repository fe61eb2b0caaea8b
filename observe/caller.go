package observe

import (
	"strings"
	"unicode/utf8"
)

// callerMark is how the driver begins the row below the code around a failure: the line
// of the module that led there.
const callerMark = "\ncalled from line "

// caller takes that row off an excerpt: the line's number and its text, "" when there is
// no such row.
func caller(excerpt string) (code, line, text string) {
	at := strings.LastIndex(excerpt, callerMark)
	if at < 0 {
		return excerpt, "", ""
	}
	line, text, ok := strings.Cut(excerpt[at+len(callerMark):], ": ")
	if !ok || line == "" || len(line) > 9 || strings.Trim(line, "0123456789") != "" || strings.Contains(text, "\n") {
		return excerpt, "", ""
	}
	return excerpt[:at], line, text
}

// maxCaller is how much of an excerpt that row may be.
const maxCaller = 250

// codeExcerpt is the code around the failure, and where it was called from. When the code
// is too long, what stands near its middle is told, where the failing line is.
func (o *observer) codeExcerpt(excerpt string) string {
	code, line, text := caller(head(strings.ToValidUTF8(excerpt, "\uFFFD"), maxScanned))
	s, row := o.mask(shown(code)), ""
	if line != "" {
		row = "\n" + cutEnd(o.say(calledFrom, "at", line)+o.mask(shown(text)), maxCaller)
	}
	most := maxExcerpt - utf8.RuneCountInString(row)
	if over := utf8.RuneCountInString(s) - most; over > 0 {
		r := []rune(s)
		s = "…" + string(r[over/2+1:len(r)-(over-over/2)-1]) + "…"
	}
	return s + row
}

var calledFrom = phrase{"called from line {at}: ", "由第 {at} 行调用："}
