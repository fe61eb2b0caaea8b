package observe

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall/internal/visible"
)

// shown turns what was written to a stream into what its reader would have
// seen last: a line that was overwritten shows its last state, backspaces
// take characters back, terminal controls are gone. Other control characters
// become escapes.
func shown(s string) string {
	if !strings.ContainsFunc(s, unshown) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitAfterSeq(s, "\n") {
		end := ""
		if strings.HasSuffix(line, "\n") {
			line, end = strings.TrimSuffix(line, "\n"), "\n"
		}
		b.WriteString(shownLine(backspaced(lastState(line))))
		b.WriteString(end)
	}
	return b.String()
}

func unshown(r rune) bool {
	return control(r) && r != '\n' && r != '\t' || r == utf8.RuneError || visible.Hides(r)
}

// lastState returns what stands on a line after its last carriage return.
func lastState(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// backspaced applies backspaces.
func backspaced(line string) string {
	if strings.IndexByte(line, '\b') < 0 {
		return line
	}
	var kept []rune
	for _, r := range line {
		if r != '\b' {
			kept = append(kept, r)
		} else if len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
	}
	return string(kept)
}

// shownLine removes terminal control sequences and escapes what else is
// invisible to a terminal.
func shownLine(line string) string {
	if !strings.ContainsFunc(line, unshown) {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		if n := sequence(line[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case r < 0x80 && control(r) && r != '\t':
			fmt.Fprintf(&b, `\x%02x`, r)
		case control(r) && r != '\t', visible.Hides(r):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// sequence returns the length of the control sequence that s begins with, 0
// when it begins with none. An unfinished one reaches to the end of the line.
func sequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		for i := 2; i < len(s); i++ {
			if c := s[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // OSC and strings: to BEL or ST
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	default:
		return 2
	}
}
