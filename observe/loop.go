package observe

import (
	"regexp"
	"strings"
)

// muchPrinted is how much output says that printing itself was the work, in bytes.
const muchPrinted = 64 << 10

// printed is how much the code had written until its time was up, "" when that was little.
func (o *observer) printed() string {
	n := o.in.Result.Stdout.Bytes + o.in.Result.Stderr.Bytes
	if n < muchPrinted {
		return ""
	}
	return size(n)
}

// endless finds the loops that nothing but their body ends, and first of all those
// that say so.
var endless = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^[ \t]*while[ \t(]+(?:True|1)\b[^\n]*`),
	regexp.MustCompile(`(?m)^[ \t]*(?:while\b|for\b[^\n]* in (?:itertools\.)?(?:count|cycle|repeat)\()[^\n]*:[^\n]*`),
}

// loop is the loop of the code that may not come to an end, "" when there is none and
// for what ended otherwise than by going on and on.
func (o *observer) loop(f fault) string {
	if f.class != classTimeout && f.class != classOutput {
		return ""
	}
	for _, e := range endless {
		if line := e.FindString(head(o.in.Code, maxScanned)); line != "" {
			return cutEnd(strings.TrimSpace(line), maxLabel)
		}
	}
	return ""
}
