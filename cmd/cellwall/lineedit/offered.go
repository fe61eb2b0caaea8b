package lineedit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// maxOffered is how many candidates are offered, maxCandidate how long one may
// be in bytes.
const (
	maxOffered   = 200
	maxCandidate = 200
)

// offered are the candidates that can be shown for what they are.
func offered(matches []string) (good []string) {
	for _, m := range matches {
		hidden := strings.ContainsFunc(m, func(r rune) bool { return !visible.Shows(r) || visible.Acts(r) })
		if m != "" && len(m) <= maxCandidate && utf8.ValidString(m) && !hidden && !slices.Contains(good, m) {
			good = append(good, m)
		}
		if len(good) == maxOffered {
			break
		}
	}
	return good
}

// labels are the candidates without the objects that all of them belong to.
func labels(matches []string) []string {
	shared := sharedPrefix(matches)
	cut := strings.LastIndexByte(shared, '.') + 1
	short := make([]string, len(matches))
	for i, m := range matches {
		short[i] = m[cut:]
	}
	return short
}

func sharedPrefix(all []string) string {
	shared := all[0]
	for _, s := range all[1:] {
		n := 0
		for n < len(shared) && n < len(s) && shared[n] == s[n] {
			n++
		}
		shared = shared[:n]
	}
	for !utf8.ValidString(shared) {
		shared = shared[:len(shared)-1]
	}
	return shared
}
