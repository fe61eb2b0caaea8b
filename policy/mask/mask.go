package mask

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/cellwall/cellwall"
)

// Bounds of custom patterns.
const (
	maxPatterns = 32
	maxPattern  = 512 // bytes of one
)

var kindName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Masker knows what is personal. It is safe for concurrent use.
type Masker struct{ custom []pattern }

// pattern is one of the caller's own.
type pattern struct {
	kind string
	expr *regexp.Regexp
}

// New returns a masker that knows patterns of the caller's own beside: kind ([a-z0-9_],
// none of those that exist) to an expression of RE2, applied line by line. It fails for
// one that is none or matches nothing at all, with bad_request.
func New(patterns map[string]string) (*Masker, error) {
	wrong := func(kind, format string, args ...any) error {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: fmt.Sprintf("read pattern %q", kind), Err: fmt.Errorf(format, args...),
			Hint: "patterns are expressions of RE2, such as EMP-[0-9]{6}; see https://github.com/google/re2/wiki/Syntax",
		}
	}
	if len(patterns) > maxPatterns {
		return nil, wrong("", "%d patterns are more than %d", len(patterns), maxPatterns)
	}
	m := &Masker{}
	for _, kind := range slices.Sorted(maps.Keys(patterns)) {
		text := patterns[kind]
		switch {
		case !kindName.MatchString(kind), slices.Contains([]string{Phone, ID, Card, Email}, kind):
			return nil, wrong(kind, "a name is of a-z, 0-9 and _, at most 32 characters, and none of phone, id, card, email")
		case len(text) > maxPattern:
			return nil, wrong(kind, "it has more than %d bytes", maxPattern)
		}
		expr, err := regexp.Compile(text)
		if err != nil {
			return nil, wrong(kind, "%w", err)
		}
		if expr.MatchString("") {
			return nil, wrong(kind, "it matches nothing at all, and so everywhere")
		}
		m.custom = append(m.custom, pattern{kind: kind, expr: expr})
	}
	return m, nil
}

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
func (m *Masker) Begin() *Pass { return &Pass{masker: m, counts: Counts{}, labels: labels{}} }

// Pass masks one execution's texts. It is for one goroutine.
type Pass struct {
	masker *Masker
	counts Counts
	labels labels
}

// Counts are how many of each kind were masked so far.
func (p *Pass) Counts() Counts { return p.counts }

// Text masks a whole text.
func (p *Pass) Text(text string) string {
	s := newScanner([]byte(text), p.counts, p.labels)
	s.final = true
	s.scan()
	changed := s.changed
	for _, one := range p.masker.custom {
		changed = one.lines(s.text, p.counts) || changed
	}
	if !changed {
		return text
	}
	return string(s.text)
}

// Stream returns a new stream, which counts for the pass.
func (p *Pass) Stream() *Stream {
	return &Stream{scanner: newScanner(nil, p.counts, p.labels), custom: lines{patterns: p.masker.custom, counts: p.counts}}
}
