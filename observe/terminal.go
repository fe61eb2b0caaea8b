package observe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// Terminal makes hostile text safe to print for a person, without loss: every
// character that a terminal obeys or that does not show becomes an escape
// (\x1b, \u202e, \U000e0041; a byte that is no UTF-8 \xff), a backslash before
// what could be read as such an escape is doubled. Newline and tab stay, and
// the joiner inside an emoji.
func Terminal(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	var before rune
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\' && likeEscape(s[i+1:]):
			b.WriteString(`\\`)
		case safe(r) || joins(before, r, s[i+n:]):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before = r
		i += n
	}
	return b.String()
}

// plain is the fast path: printable ASCII without a backslash.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == '\\' || c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// safe reports whether a terminal shows r and does nothing else with it.
func safe(r rune) bool {
	return r == '\n' || r == '\t' || visible.Shows(r)
}

// joins reports whether r is what holds an emoji together: a zero-width joiner
// between two symbols.
func joins(before, r rune, rest string) bool {
	if r != '\u200d' {
		return false
	}
	after, _ := utf8.DecodeRuneInString(rest)
	return emoji(before) && emoji(after)
}

func emoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r == 0xfe0f || 0x1f3fb <= r && r <= 0x1f3ff
}

// likeEscape reports whether a backslash before rest could be taken for the
// beginning of an escape: ours, or the one that rest begins with.
func likeEscape(rest string) bool {
	if rest == "" {
		return false
	}
	r, n := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune(`\xuU`, r) || r == utf8.RuneError && n == 1 || !safe(r)
}
