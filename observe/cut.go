package observe

import (
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// The bounds of an observation, in characters (Unicode code points).
const (
	maxMessage  = 500
	maxExcerpt  = 1000
	maxStdout   = 4000
	maxResult   = 2000
	maxArgument = 300 // of a value inside a sentence
	maxName     = 100 // of a column, a file or a type
	maxWarning  = 500
	maxWarnings = 30
	maxColumns  = 100
	maxListed   = 50 // artifacts
)

// cutEnd keeps the first n characters; the last is an ellipsis when some are
// left out.
func cutEnd(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return s[:offset(s, n-1)] + "…"
}

// cutMiddle keeps n characters, half from each end.
func cutMiddle(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	head := (n - 1) / 2
	return s[:offset(s, head)] + "…" + s[tailOffset(s, n-1-head):]
}

// offset returns the byte offset of the nth character.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// tailOffset returns the byte offset of the nth character from the end.
func tailOffset(s string, n int) int {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// oneLine makes s fit into a sentence: line breaks and controls become spaces,
// and of a very long text only both ends are looked at.
func oneLine(s string) string {
	if most := 4 << 10; len(s) > 2*most {
		s = s[:most] + s[len(s)-most:]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, func(r rune) bool { return control(r) || visible.Hides(r) }) {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case control(r):
			b.WriteByte(' ')
		case visible.Hides(r):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

func control(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }
