package artifact

import (
	"strconv"
	"strings"
	"testing"
)

func TestF21_Escape(t *testing.T) {
	for in, want := range map[string]string{
		"plain.txt": "plain.txt", "图表.csv": "图表.csv", "a b": "a b", "\xff": `\xff`, "\n": `\u000a`, `\`: `\\`, `\xff`: `\\xff`,
		"\u202e": `\u202e`, "\u200b": `\u200b`, "\u3000": `\u3000`, "\u00a0": `\u00a0`, "\U000e0041": `\U000e0041`, "\u3164": `\u3164`,
		"\ufffd": "\ufffd", "\x00": `\u0000`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a\xffb", `\\x`, "\\\xff", "\u202e", "\U0010ffff", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := Escape(s)
		if !printable(e) {
			t.Fatalf("%q became %q, which does not print", s, e)
		}
		if back := unescape(t, e); back != s {
			t.Fatalf("%q became %q, which reads back as %q", s, e, back)
		}
	})
}

func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if s[i+1] == '\\' {
			b.WriteByte('\\')
			i += 2
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i+1]]
		n, err := strconv.ParseUint(s[i+2:i+2+digits], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if digits == 2 {
			b.WriteByte(byte(n))
		} else {
			b.WriteRune(rune(n))
		}
		i += 2 + digits
	}
	return b.String()
}
