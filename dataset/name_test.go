package dataset

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafeName(t *testing.T) {
	for in, want := range map[string]string{
		"sales.csv":           "sales.csv",
		"销售 明细.csv":           "销售 明细.csv",
		"../../etc/passwd":    "passwd",
		`C:\data\umsatz.xlsx`: "umsatz.xlsx",
		"a\nb\x00c\x1b[2J":    "a_b_c_[2J",
		"x\u202egnp.csv":      "x_gnp.csv",
		"bad\xff.csv":         "bad_.csv",
		"":                    "file", ".": "file", "..": "file", "dir/": "file", "  ": "file",
		".hidden": ".hidden",
	} {
		if got := SafeName(in); got != want {
			t.Errorf("SafeName(%q) = %q, want %q", in, got, want)
		}
	}
	long := SafeName(strings.Repeat("销", 300) + ".csv.gz")
	if len(long) > MaxName || !strings.HasSuffix(long, "销.csv.gz") {
		t.Errorf("long name became %d bytes: %q", len(long), long)
	}
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"a.csv", "../x", "a\x00b", strings.Repeat("é", 200), "\xff\xfe", "..", "a/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := SafeName(in)
		if got == "" || got == "." || got == ".." || len(got) > MaxName || !utf8.ValidString(got) {
			t.Fatalf("SafeName(%q) = %q", in, got)
		}
		if strings.ContainsFunc(got, unicode.IsControl) || filepath.Base(got) != got {
			t.Fatalf("SafeName(%q) = %q is no base name", in, got)
		}
		if again := SafeName(got); again != got {
			t.Fatalf("SafeName(%q) = %q, again %q", in, got, again)
		}
	})
}

func TestNames_Take_finds_the_next_free_number(t *testing.T) {
	names := Names{}
	var got []string
	for _, n := range []string{"a.csv", "a_2.csv", "a.csv", "b", "b", ".gz", ".gz"} {
		got = append(got, names.Take(n))
	}
	if s := strings.Join(got, " "); s != "a.csv a_2.csv a_3.csv b b_2 .gz .gz_2" {
		t.Errorf("names %s", s)
	}
}
