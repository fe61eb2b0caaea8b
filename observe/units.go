package observe

import (
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// detail returns what stands after the colon of "signal:SIGSEGV", or all when
// nothing does.
func detail(c cellwall.Cause) string {
	if _, after, ok := strings.Cut(string(c), ":"); ok {
		return after
	}
	return string(c)
}

// signal names what ended the interpreter, in words when nobody knows.
func (o *observer) signal() string {
	if s := detail(o.in.Result.Cause); s != "" {
		return s
	}
	return o.say(unknownCause)
}

// exitOf says with which status the interpreter left.
func exitOf(c cellwall.Cause, f fault) string {
	switch status, ok := strings.CutPrefix(string(c), string(cellwall.CauseExit)+":"); {
	case ok:
		return "exit status " + status
	case f.kind == "SystemExit":
		said := oneLine(f.message)
		if said != "" {
			said = quoted(said)
		}
		return "sys.exit(" + said + ")"
	}
	return "exit"
}

// seconds writes a duration as people say it: 8 s, 2.5 s.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// amount writes a count, milliseconds or a cost, at most two places behind the
// point.
func amount(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// size writes bytes in the largest unit that divides them well.
func size(n int64) string {
	switch {
	case n >= cellwall.GiB && n%cellwall.GiB == 0:
		return strconv.FormatInt(n/cellwall.GiB, 10) + " GiB"
	case n >= cellwall.MiB:
		return strconv.FormatInt(n/cellwall.MiB, 10) + " MiB"
	case n >= cellwall.KiB:
		return strconv.FormatInt(n/cellwall.KiB, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}
