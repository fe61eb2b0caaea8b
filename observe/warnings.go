package observe

import (
	"path"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// warnings lists what the reader of a result must know, most telling first,
// each once, at most maxWarnings.
func (o *observer) warnings() []string {
	all := []string{}
	add := func(s string) {
		if s = cutEnd(s, maxWarning); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for _, s := range o.restored() {
		add(s)
	}
	for _, s := range o.sampled() {
		add(s)
	}
	for _, n := range o.in.Notices {
		add(o.notice(n))
		if len(all) > 2*maxWarnings {
			break
		}
	}
	if o.in.Result.OK {
		for _, name := range o.undelivered() {
			add(o.say(notices["artifact_missing"], "name", name))
		}
	}
	for _, s := range o.refusedArtifacts() {
		add(s)
	}
	for _, a := range o.in.Result.Artifacts {
		if slices.Contains(a.Flags, cellwall.FlagFormulas) {
			add(o.say(artifactFormulas, "name", a.Name))
		}
	}
	for _, s := range o.truncated() {
		add(s)
	}
	for _, s := range o.alsoMet() {
		add(s)
	}
	if len(o.in.Refused) > 0 {
		add(o.say(callsRefused, "calls", o.refusedCalls()))
	}
	if over := len(all) - maxWarnings; over > 0 {
		all = append(all[:maxWarnings], o.say(warningsCut, "count", grouped(int64(over))))
	}
	return all
}

// sampled tells every table that is not whole.
func (o *observer) sampled() []string {
	var all []string
	for i, d := range o.in.Datasets {
		table := ours
		if i > 0 {
			table = "dfs[" + quoted(stem(d.Name)) + "]"
		}
		if d.RowsGiven < d.Rows {
			all = append(all, o.sampleOf(table, d, d.RowsGiven, d.Rows, readsWhole(d, "")))
		}
		for _, t := range d.Tables {
			if t.RowsGiven < t.Rows {
				all = append(all, o.sampleOf("dfs["+quoted(t.Name)+"]", d, t.RowsGiven, t.Rows, readsWhole(d, t.Name)))
			}
		}
	}
	return all
}

// sampleOf tells how much of a table there is, and how to get at the rest of it.
func (o *observer) sampleOf(table string, d cellwall.Dataset, given, rows int64, read string) string {
	said := o.say(rowsSampled, "as", table, "given", grouped(given), "rows", grouped(rows), "file", d.Name,
		"sample", o.sampleWords(d.Sample))
	if strings.HasSuffix(read, "_000)") { // the size of a part
		said += o.say(rowsInParts, "read", read)
	} else {
		said += o.say(rowsInFile, "read", read)
	}
	if slices.Contains(o.in.Functions, "query") {
		said += o.say(rowsByQuery)
	}
	return said
}

// sampleWords puts Dataset.Sample into words.
func (o *observer) sampleWords(sample string) string {
	if seed, ok := strings.CutPrefix(sample, "random seed "); ok {
		return o.say(sampleRandom, "seed", seed)
	}
	return o.say(sampleHead)
}

// notice puts a notice into words; an unknown one says nothing.
func (o *observer) notice(n cellwall.Notice) string {
	p, ok := notices[n.Code]
	if !ok {
		return ""
	}
	var args []string
	for _, name := range blanks(p.en) {
		value := n.Args[name]
		switch {
		case oneLine(value) == "":
			value = "?"
		case n.Code == "limit_met":
			if word, known := limitNames[value]; known {
				value = o.say(word)
			}
		case n.Code == "rows_sampled" && name == "sample":
			value = o.sampleWords(value)
		case !fromData[name] && !token(value) && name != "counts":
			value = quoted(value)
		}
		args = append(args, name, value)
	}
	return o.say(p, args...)
}

// undelivered are the declared artifacts that nobody made. A declaration
// without a folder is met by a file of that name in any folder.
func (o *observer) undelivered() []string {
	var missing []string
	for _, want := range o.in.ExpectedArtifacts {
		clean := strings.TrimPrefix(path.Clean(want), "/workspace/output/")
		if !slices.ContainsFunc(o.in.Result.Artifacts, func(a cellwall.Artifact) bool {
			return a.Name == clean || !strings.Contains(clean, "/") && path.Base(a.Name) == clean
		}) {
			missing = append(missing, want)
		}
	}
	return missing
}

// refusedArtifacts tells the first files that were not taken.
func (o *observer) refusedArtifacts() []string {
	const told = 5
	skipped := o.in.Result.SkippedArtifacts
	var all []string
	for _, s := range skipped[:min(len(skipped), told)] {
		all = append(all, o.say(artifactRefused, "name", s.Name, "reason", s.Reason))
	}
	if more := len(skipped) - told; more > 0 {
		all = append(all, o.say(artifactsMore, "count", grouped(int64(more))))
	}
	return all
}

// alsoMet tells the limits that a failed run met beside the one that ended it.
// For a run that ended ok the notice limit_met tells.
func (o *observer) alsoMet() []string {
	if o.in.Result.OK {
		return nil
	}
	var all []string
	for _, cause := range o.in.Met {
		if word, known := limitNames[string(cause)]; known && cause != o.in.Result.Cause {
			all = append(all, o.say(alsoMet, "limit", o.say(word)))
		}
	}
	return all
}

// truncated tells which streams were longer than what is kept of them.
func (o *observer) truncated() []string {
	var all []string
	for _, s := range []struct {
		name string
		out  cellwall.Output
	}{{"stdout", o.in.Result.Stdout}, {"stderr", o.in.Result.Stderr}} {
		if s.out.Truncated {
			all = append(all, o.say(outputTruncated, "stream", s.name, "bytes", grouped(s.out.Bytes)))
		}
	}
	return all
}
