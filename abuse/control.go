package abuse

import (
	"fmt"
	"slices"
)

// absent are the answers of a kernel that does not have a thing at all: then
// there is nothing to show, and nothing to protect.
var absent = []string{
	"ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "ENODEV", "ENXIO", "EOPNOTSUPP",
}

// Showed reports whether a control showed anything, be it a line or a judge's
// word. A row for which it is false is one of [MostUnshown].
func Showed(c Case, x Exhibit) bool {
	return c.Control.Judge != nil || len(reports(x.Stdout, "ESCAPED ")) > 0
}

// JudgeControl says whether a control showed its attack at work: what it failed
// to show, and as notes what this host cannot show, each with its proof.
func JudgeControl(c Case, x Exhibit) (bad []Problem, notes []string) {
	shown, held := reports(x.Stdout, "ESCAPED "), reports(x.Stdout, "HELD ")
	shows := c.Control.Shows
	if len(shows) == 0 {
		shows = c.Attack.Expect.Held
	}
	for _, attempt := range shows {
		_, ok := shown[attempt]
		reason, refused := held[attempt]
		switch {
		case ok:
		case c.Control.Absent[attempt] != "":
			notes = append(notes, notShown(attempt, c.Control.Absent[attempt], ""))
		case refused && slices.Contains(absent, reason):
			notes = append(notes, notShown(attempt, "this kernel does not have it", "without any wall it answers "+reason))
		case refused:
			bad = append(bad, Problem(fmt.Sprintf("%s did not work without the wall: %s", attempt, reason)))
		default:
			bad = append(bad, Problem(fmt.Sprintf("%s was not even attempted", attempt)))
		}
	}
	if len(shows) == 0 && c.Control.Judge == nil && len(shown) == 0 {
		bad = append(bad, "nothing escaped without the wall")
	}
	if c.Control.Judge != nil {
		bad = append(bad, c.Control.Judge(x)...)
	}
	if len(bad) > 0 {
		bad = append(bad, Problem(fmt.Sprintf("the control ended with exit %d %s, timed out %v, stdout %q, stderr %q",
			x.Exit, x.Signal, x.TimedOut, tail(x.Stdout), tail(x.Stderr))))
	}
	return bad, notes
}
