package controller

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cellwall/cellwall"
)

// reasonWithheld is why an artifact of a withheld execution is not there.
const reasonWithheld = "withheld"

// withhold takes what the code told out of the Result when there was more personal
// data in it than may be told even masked. That it was, and why, is told; how it
// ended, and the log of the operator, stay.
func (x *execution) withhold() {
	masked := x.seen.masked
	if masked == nil || !masked.withheld() {
		return
	}
	r := x.result
	r.Stdout.Text, r.Stderr.Text, r.Results = "", "", []cellwall.Rich{}
	for _, a := range r.Artifacts {
		r.SkippedArtifacts = append(r.SkippedArtifacts, cellwall.SkippedArtifact{Name: a.Name, Reason: reasonWithheld})
	}
	r.Artifacts = []cellwall.Artifact{}
	if r.Error != nil {
		r.Error.Message, r.Error.Traceback = "", ""
	}
	x.seen.notices = nil // they name what was computed
	x.notes = append(x.notes, notice("output_withheld", "kind", masked.over, "count", strconv.Itoa(masked.output(masked.over))))
}

// withheld reports whether what was told so far has more of a kind than it may, and
// notes of which. Once it has, it stays so.
func (m *masked) withheld() bool {
	most := m.Most()
	for _, kind := range slices.Sorted(maps.Keys(most)) {
		if m.over == "" && m.output(kind) >= most[kind] {
			m.over = kind
		}
	}
	return m.over != ""
}

// output is how much of a kind was masked in what the code told: without the
// descriptions of its inputs, which are the driver's.
func (m *masked) output(kind string) int { return m.Counts()[kind] - m.described[kind] }

// describe masks what the driver says of the inputs.
func (m *masked) describe(raw []byte) []byte {
	before := maps.Clone(m.Counts())
	raw = m.JSON(raw, false)
	for kind, n := range m.Counts() {
		m.described[kind] += n - before[kind]
	}
	return raw
}
