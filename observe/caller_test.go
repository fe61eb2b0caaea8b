package observe

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

const calledExcerpt = "  1 | def clean(t):\n> 2 |     return t.strip()\ncalled from line 10: t = step2(t)"

func TestM10_WhereAFailureWasCalledFromIsTold(t *testing.T) {
	long := strings.Replace(calledExcerpt, "strip()", strings.Repeat("s", 3000), 1)
	for name, row := range map[string]struct{ language, excerpt, want string }{
		"English":             {"en", calledExcerpt, "\ncalled from line 10: t = step2(t)"},
		"Chinese":             {"zh", calledExcerpt, "\n由第 10 行调用：t = step2(t)"},
		"beside a long line":  {"en", long, "…\ncalled from line 10: t = step2(t)"},
		"a long line":         {"en", calledExcerpt + strings.Repeat("x", 3000), "xxx…"},
		"what hides its text": {"en", calledExcerpt + "\u202e", `t = step2(t)\u202e`},
		"another row below":   {"en", calledExcerpt + "\n> 3 | x", "\n> 3 | x"},
		"no number":           {"zh", strings.Replace(calledExcerpt, "10", "ten", 1), "called from line ten: t = step2(t)"},
	} {
		in := failed(cellwall.ExecutionError{Type: "AttributeError", Message: "'int' object has no attribute 'strip'", Line: 2, Excerpt: row.excerpt})
		in.Language = row.language
		got := Observe(in).FailedCodeExcerpt
		if !strings.HasSuffix(got, row.want) || utf8.RuneCountInString(got) > maxExcerpt {
			t.Errorf("%s: %d characters, %.1200q", name, utf8.RuneCountInString(got), got)
		}
	}
}

// The words of that row are ours: nobody meant one of them.
func TestM10_NoNameIsMeantThatWeSay(t *testing.T) {
	for missing, excerpt := range map[string]string{"lin": calledExcerpt, "caled": calledExcerpt} {
		in := failed(cellwall.ExecutionError{Type: "NameError", Message: "name '" + missing + "' is not defined", Name: missing, Line: 2, Excerpt: excerpt})
		if meant := Observe(in).DidYouMean; strings.Contains(strings.Join(meant, " "), "line") || strings.Contains(strings.Join(meant, " "), "called") {
			t.Errorf("%s: meant %v", missing, meant)
		}
	}
}
