package artifact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNameRunes bounds a name in the list of refused files.
const maxNameRunes = 300

// Escape gives name as printable text without loss: a backslash is doubled, a
// byte that is no UTF-8 becomes \xHH, a character that does not show or that
// reorders its neighbours \uHHHH or \UHHHHHHHH. Two names never escape
// to the same text.
func Escape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case r == '\\':
			b.WriteString(`\\`)
		case shows(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// printable reports whether name is UTF-8 whose every character shows.
func printable(name string) bool {
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 || !shows(r) {
			return false
		}
		i += n
	}
	return true
}

// shows reports whether r is visible, or the ordinary space. Format characters
// (bidi, zero width), controls, private use and odd spaces are not.
func shows(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Zs, unicode.Cf) && !invisible(r)
}

// invisible names the letters and symbols that draw nothing although Unicode
// calls them graphic: fillers that make two names look alike.
func invisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0x2800:
		return true
	}
	return false
}

func boundName(name string) string {
	if utf8.RuneCountInString(name) <= maxNameRunes {
		return name
	}
	r := []rune(name)
	return string(r[:maxNameRunes/2]) + "…" + string(r[len(r)-maxNameRunes/2:])
}
