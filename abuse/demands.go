package abuse

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/visible"
)

// Demands that several cases make.

// noneOf demands that none of the names was taken as an artifact.
func noneOf(o Outcome, names ...string) []Problem {
	var bad []Problem
	for _, a := range o.Result.Artifacts {
		if slices.Contains(names, a.Name) {
			bad = append(bad, Problem(fmt.Sprintf("%q was taken as an artifact", a.Name)))
		}
	}
	return bad
}

// withinCaps demands that the artifacts keep to the limits.
func withinCaps(o Outcome, l cellwall.Limits) []Problem {
	var bad []Problem
	var total int64
	for _, a := range o.Result.Artifacts {
		total += a.Bytes
		if a.Bytes > l.ArtifactBytes {
			bad = append(bad, Problem(fmt.Sprintf("artifact %q has %d bytes, more than %d", a.Name, a.Bytes, l.ArtifactBytes)))
		}
	}
	if n := len(o.Result.Artifacts); n > l.Artifacts {
		bad = append(bad, Problem(fmt.Sprintf("%d artifacts, more than %d", n, l.Artifacts)))
	}
	if total > l.ArtifactTotalBytes {
		bad = append(bad, Problem(fmt.Sprintf("%d bytes of artifacts, more than %d", total, l.ArtifactTotalBytes)))
	}
	if n := len(o.Result.SkippedArtifacts); n > 1000 {
		bad = append(bad, Problem(fmt.Sprintf("%d skipped artifacts are listed one by one", n)))
	}
	return bad
}

// toldOf demands that something is told of each place: a file that was taken, or
// why it was not.
func toldOf(o Outcome, places ...string) []Problem {
	var bad []Problem
	for _, place := range places {
		if !slices.ContainsFunc(o.Result.Artifacts, func(a cellwall.Artifact) bool { return strings.HasPrefix(a.Name, place) }) &&
			!slices.ContainsFunc(o.Result.SkippedArtifacts, func(s cellwall.SkippedArtifact) bool { return strings.HasPrefix(s.Name, place) }) {
			bad = append(bad, Problem(fmt.Sprintf("nothing is told of %q", place)))
		}
	}
	return bad
}

// namesArePlain demands that every one of made names is accounted for, and that
// each is shown as text that no list or terminal stumbles over.
func namesArePlain(made int) func(Outcome) []Problem {
	return func(o Outcome) []Problem {
		var names []string
		for _, a := range o.Result.Artifacts {
			names = append(names, a.Name)
		}
		for _, s := range o.Result.SkippedArtifacts {
			names = append(names, s.Name)
		}
		var bad []Problem
		if len(names) != made {
			bad = append(bad, Problem(fmt.Sprintf("%d names are told of %d: %q", len(names), made, names)))
		}
		for _, n := range names {
			if !utf8.ValidString(n) || strings.ContainsFunc(n, func(r rune) bool { return !visible.Shows(r) }) {
				bad = append(bad, Problem(fmt.Sprintf("the name %q is told raw", n)))
			}
		}
		return bad
	}
}

// rawNames demands of a control that its files' names hold each of the marks.
func rawNames(marks ...string) func(Exhibit) []Problem {
	return func(x Exhibit) []Problem {
		var bad []Problem
		for _, mark := range marks {
			found := false
			for name := range x.Files {
				found = found || strings.Contains(name, mark)
			}
			if !found {
				bad = append(bad, Problem(fmt.Sprintf("no name holds %q", mark)))
			}
		}
		return bad
	}
}

// survives demands of a control that something outlived the program.
func survives(x Exhibit) []Problem {
	if x.Survivors < 1 {
		return []Problem{"nothing outlived the program"}
	}
	return nil
}
