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
	// maxSteps bounds the steps of all together, each of which a hostile text can have
	// taken for each of its characters.
	maxSteps = 2048
)

var kindName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// pattern is one of the caller's own.
type pattern struct {
	kind string
	expr *regexp.Regexp
	*program
}

// New returns a masker that knows patterns of the caller's own beside: kind ([a-z0-9_],
// none of those that exist) to an expression of RE2, applied line by line. It fails for
// one that is none or matches nothing at all, and for those that are too large together,
// with bad_request.
func New(patterns map[string]string) (*Masker, error) {
	if len(patterns) > maxPatterns {
		return nil, wrong("", "%d patterns are more than %d", len(patterns), maxPatterns)
	}
	m := &Masker{}
	for _, kind := range slices.Sorted(maps.Keys(patterns)) {
		one, err := newPattern(kind, patterns[kind])
		if err != nil {
			return nil, err
		}
		m.custom = append(m.custom, one)
	}
	if err := checkSteps(m.custom); err != nil {
		return nil, err
	}
	return m, nil
}

func wrong(kind, format string, args ...any) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: fmt.Sprintf("read pattern %q", kind), Err: fmt.Errorf(format, args...),
		Hint: "patterns are expressions of RE2, such as EMP-[0-9]{6}; see https://github.com/google/re2/wiki/Syntax",
	}
}

// newPattern reads one of the caller's own.
func newPattern(kind, text string) (pattern, error) {
	switch {
	case !kindName.MatchString(kind), slices.Contains([]string{Phone, ID, Card, Email}, kind):
		return pattern{}, wrong(kind, "a name is of a-z, 0-9 and _, at most 32 characters, and none of phone, id, card, email")
	case len(text) > maxPattern:
		return pattern{}, wrong(kind, "it has more than %d bytes", maxPattern)
	}
	program, err := newProgram(text)
	if err != nil {
		return pattern{}, wrong(kind, "%w", err)
	}
	if len(program.steps) > maxSteps { // more than package regexp need read
		return pattern{}, checkSteps([]pattern{{kind: kind, program: program}})
	}
	expr, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, wrong(kind, "%w", err)
	}
	if expr.MatchString("") {
		return pattern{}, wrong(kind, "it matches nothing at all, and so everywhere")
	}
	return pattern{kind, expr, program}, nil
}

// checkSteps refuses patterns that are too large together, and names the largest.
func checkSteps(all []pattern) error {
	sum := 0
	var largest pattern
	for _, one := range all {
		sum += len(one.steps)
		if largest.program == nil || len(one.steps) > len(largest.steps) {
			largest = one
		}
	}
	if sum <= maxSteps {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: fmt.Sprintf("read pattern %q", largest.kind),
		Err: fmt.Errorf("each character of a text may cost %d steps for it and %d for all patterns, of at most %d", len(largest.steps), sum, maxSteps),
		Hint: "X{n,m} costs as much as X written m times, twice that where m is above n: write X+ or X* where the number hardly matters, " +
			"[0-9]+ for [0-9]{1,500}, or fewer alternatives",
	}
}
