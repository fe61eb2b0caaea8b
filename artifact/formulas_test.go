package artifact

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/cellwall/cellwall"
)

func TestO118_TablesThatASpreadsheetMayRunAreFlagged(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		want          bool
	}{
		{"equals.csv", "a,b\n1,=1+1\n", true},
		{"first.csv", "=cmd|' /C calc'!A0,b\n1,2\n", true},
		{"last.csv", "a,b\n1,@SUM(1)", true},
		{"quoted.csv", "a,b\n1,\"=HYPERLINK(\"\"http://192.0.2.1\"\")\"\n", true},
		{"plus.csv", "a,b\n1,+cmd|x!A0\n", true},
		{"minus.csv", "a,b\n1,-2+3+cmd|x!A0\n", true},
		{"call.csv", "a,b\n1,-2+SUM(A1:A9)\n", true},
		{"tab.csv", "a,b\n1,\t=1\n", true},
		{"german.csv", "a;b\n1,5;=1+1\n", true},
		{"table.tsv", "a\tb\n1\t=1+1\n", true},
		{"marked.csv", "\xef\xbb\xbf=1+1,b\n1,2\n", true},
		{"marked.csv", "\xef\xbb\xbf\"=1+1\",b\n1,2\n", true},
		{"little.csv", wide("\ufeffa,b\n1,=1+1\n", binary.LittleEndian), true},
		{"big.csv", wide("\ufeff=1+1,b\n1,2\n", binary.BigEndian), true},
		{"wide.tsv", wide("\ufeffa\tb\n1\t=1+1\n", binary.LittleEndian), true},
		{"marked.csv", "\xef\xbb\xbfa,b\n1,2=\n", false},
		{"little.csv", wide("\ufeffa,b\n1,\u3d00\u003d2\n\u2b00,-2\n", binary.LittleEndian), false},
		{"numbers.csv", "a,b\n-1,+2.5\n-1e-5,-\n--,-3%\n-inf,+NaN\n", false},
		{"words.csv", "a,b\nx=1,mail@example.org\n\"a\n=b\",- none\n", false},
		{"phones.csv", "a,b\n+86 138 0000 0000,+1 (555) 123\n", false},
		{"table.tsv", "a\tb\n1\t-5 km\n", false},
		{"notes.md", "=1+1\n", false},
	} {
		h := collect(t, mapFS(map[string]string{tc.name: tc.content}), Limits{})
		if len(h.Artifacts) != 1 {
			t.Fatalf("%s was not taken: %v", tc.name, h.Skipped)
		}
		if got := slices.Contains(h.Artifacts[0].Flags, cellwall.FlagFormulas); got != tc.want {
			t.Errorf("%s %q: flagged %v, want %v", tc.name, tc.content, got, tc.want)
		}
	}
}

func TestO118_UTF16WithoutAMarkIsNotTaken(t *testing.T) {
	h := collect(t, mapFS(map[string]string{"bare.csv": wide("a,b\n1,=1+1\n", binary.LittleEndian)}), Limits{})
	if len(h.Artifacts) != 0 || len(h.Skipped) != 1 {
		t.Errorf("took %v, skipped %v", h.Artifacts, h.Skipped)
	}
}

// wide encodes as UTF-16.
func wide(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestO118_ACellIsSeenAcrossReads(t *testing.T) {
	f := &formulas{r: iotest.OneByteReader(strings.NewReader("a,b\n1,=1+1\n")), delimiters: ","}
	got, err := io.ReadAll(f)
	if err != nil || string(got) != "a,b\n1,=1+1\n" {
		t.Fatalf("content is %q, %v", got, err)
	}
	if !f.found {
		t.Error("the formula was not seen")
	}
}
