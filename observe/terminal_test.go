package observe

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestO112_TerminalTextCannotActOnATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\tindented":     "plain text\n\tindented",
		"\x1b[2J":                    `\x1b[2J`,
		"\x1b]52;c;x\x07":            `\x1b]52;c;x\x07`,
		"a\rb\bc":                    `a\x0db\x08c`,
		"user\u202etxt.exe":          `user\u202etxt.exe`,
		"zero\u200bwidth\ufeff":      `zero\u200bwidth\ufeff`,
		"tag\U000e0041":              `tag\U000e0041`,
		"c1 \u009b2J":                `c1 \u009b2J`,
		"\xff\xfe":                   `\xff\xfe`,
		`already \x1b`:               `already \\x1b`,
		`C:\data`:                    `C:\data`,
		"销售额 ¥ é":                    "销售额 ¥ é",
		"\U0001F468\u200d\U0001F4BB": "\U0001F468\u200d\U0001F4BB",
		"a\u200db":                   `a\u200db`,
	} {
		if got := Terminal(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// original reads Terminal's text back.
func original(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i+1]]
		switch {
		case s[i+1] == '\\':
			b.WriteByte('\\')
			i += 2
		case digits > 0:
			n, err := strconv.ParseUint(s[i+2:i+2+digits], 16, 32)
			if err != nil {
				panic(err)
			}
			if digits == 2 {
				b.WriteByte(byte(n))
			} else {
				b.WriteRune(rune(n))
			}
			i += 2 + digits
		default:
			b.WriteByte('\\')
			i++
		}
	}
	return b.String()
}

func FuzzTerminal(f *testing.F) {
	for _, s := range []string{"\x1b[1m", "\\\x1b", `\\x1b`, "\\", "a\u202eb", `\` + "\u200b", "\u00ad"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Terminal(s)
		if strings.ContainsFunc(got, func(r rune) bool { return control(r) && r != '\n' && r != '\t' }) || !utf8.ValidString(got) {
			t.Fatalf("%q became %q", s, got)
		}
		if original(got) != s {
			t.Fatalf("%q became %q, which reads back as %q", s, got, original(got))
		}
	})
}
