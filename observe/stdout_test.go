package observe

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

func excerpt(text string) string {
	return newObserver(Input{Result: &cellwall.Result{}}).stdoutExcerpt(cellwall.Output{Text: text, Bytes: int64(len(text))})
}

func TestM11_AProgressBarShowsItsLastState(t *testing.T) { // U05
	var b strings.Builder
	for i := range 3001 {
		fmt.Fprintf(&b, "\rprocessing row %4d of 3000 [%s]", i, strings.Repeat("#", i/100))
	}
	b.WriteString("\ndone: 3000 rows\n")
	got := excerpt(b.String())
	if n := strings.Count(got, "processing row"); n != 1 || !strings.Contains(got, "row 3000 of 3000") || !strings.HasSuffix(got, "done: 3000 rows\n") {
		t.Errorf("%d copies in %q", n, got)
	}
}

func TestM11_HeadAndTailOfALongOutput(t *testing.T) { // U04
	var b strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintln(&b, i)
	}
	got := excerpt(b.String())
	if !strings.HasPrefix(got, "0\n1\n2\n") || !strings.HasSuffix(got, "\n999999\n") || !strings.Contains(got, "6,888,890 bytes") {
		t.Errorf("excerpt is %q", got)
	}
	if n := utf8.RuneCountInString(got); n > maxStdout || n < maxStdout/2 {
		t.Errorf("excerpt has %d characters", n)
	}
}

func TestO112_TerminalControlsDoNotReachTheModel(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                              "plain\n",
		"a\tb":                                 "a\tb",
		"\x1b[31mred\x1b[0m":                   "red",
		"\x1b]0;title\x07text":                 "text",
		"\x1b]52;c;Zm9v\x1b\\text":             "text",
		"\x1b]8;;http://x\x1b\\l":              "l",
		"open \x1b[31":                         "open ",
		"a\x00b\x07":                           `a\x00b\x07`,
		"abc\b\b\bxyz":                         "xyz",
		"win\r\nline\r\n":                      "win\nline\n",
		"10%\r50%\r100%\n":                     "100%\n",
		"bar\r":                                "bar",
		"family \U0001F468\u200d\U0001F469 ok": "family \U0001F468\u200d\U0001F469 ok",
		"\u009b31mC1":                          `\u009b31mC1`,
		"bad \xff byte":                        "bad \uFFFD byte",
	} {
		if got := excerpt(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzStdout(f *testing.F) {
	f.Add("a\rb\x1b[1m\b\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := excerpt(s)
		if strings.ContainsFunc(got, func(r rune) bool { return control(r) && r != '\n' && r != '\t' }) || !utf8.ValidString(got) {
			t.Fatalf("%q became %q", s, got)
		}
		if utf8.RuneCountInString(got) > maxStdout {
			t.Fatal("too long")
		}
	})
}
