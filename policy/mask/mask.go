package mask

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cellwall/cellwall"
)

// Masker knows what is personal. It is safe for concurrent use.
type Masker struct{ custom []pattern }

// Withholding are bounds on how much of each kind may be told masked.
type Withholding map[string]int

// Check fails with bad_request for a kind that the masker does not know and for a
// bound below 1.
func (w Withholding) Check(m *Masker) error {
	for _, kind := range slices.Sorted(maps.Keys(w)) {
		known := slices.Contains([]string{Phone, ID, Card, Email}, kind) ||
			slices.ContainsFunc(m.custom, func(p pattern) bool { return p.kind == kind })
		if !known || w[kind] < 1 {
			return &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "read withhold", Err: fmt.Errorf("%q from %d on is no bound", kind, w[kind]),
				Hint: "name phone, id, card, email or a kind of mask_patterns, and a number from 1",
			}
		}
	}
	return nil
}

// Text masks a whole text.
func (m *Masker) Text(text string) string { return m.Begin().Text(text) }

// Begin returns a pass: it masks what belongs together and counts.
func (m *Masker) Begin() *Pass {
	counts := Counts{}
	return &Pass{counts: counts, labels: labels{}, own: own{patterns: m.custom, counts: counts}}
}

// Pass masks one execution's texts. It is for one goroutine.
type Pass struct {
	counts Counts
	labels labels
	own    own
}

// Counts are how many of each kind were masked so far.
func (p *Pass) Counts() Counts { return p.counts }

// Text masks a whole text.
func (p *Pass) Text(text string) string {
	s := newScanner([]byte(text), p.counts, p.labels)
	s.final = true
	s.scan()
	if changed := p.own.text(s.text); !changed && !s.changed {
		return text
	}
	return string(s.text)
}

// Stream returns a new stream, which counts for the pass.
func (p *Pass) Stream() *Stream {
	return &Stream{scanner: newScanner(nil, p.counts, p.labels), custom: lines{own: &p.own}}
}
