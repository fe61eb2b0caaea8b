package mask

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// expression is one of any kind, and often one that nobody would write.
func expression(r *rand.Rand, depth int) string {
	few := []string{
		"a", "b", "ab", "[ab]", "[^a]", ".", "电", `\w`, `\W`, "^", "$", `\b`, `\B`, "(?i:A)", "", `\x{fffd}`, `\pL`, `(?m:^)`, `(?m:$)`, `(?s:.)`, `\z`, `\A`,
	}
	if depth == 0 || r.IntN(4) == 0 {
		return few[r.IntN(len(few))]
	}
	one := func() string { return expression(r, depth-1) }
	switch r.IntN(4) {
	case 0:
		return one() + one()
	case 1:
		return "(" + one() + "|" + one() + ")"
	case 2:
		often := []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}"}
		return "(?:" + one() + ")" + often[r.IntN(len(often))]
	default:
		return one() + one() + one()
	}
}

// findsAll compares what a search finds with what package regexp does. few is how many
// matches the search may ask it for.
func findsAll(t *testing.T, s *search, p pattern, few int, text string) {
	t.Helper()
	var want, got [][]int
	for _, at := range p.expr.FindAllIndex([]byte(text), -1) {
		if at[0] < at[1] {
			want = append(want, at)
		}
	}
	changed := []byte(text)
	p.few = few
	s.each(p, changed, len(text), func(start, end int) {
		if start < end {
			got = append(got, []int{start, end})
			hide(changed[start:end])
		}
	})
	if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Fatalf("%q in %q, %d by regexp: found at %v, and regexp says %v", p.expr, text, few, got, want)
	}
}

func TestM15_OwnPatternsAreFoundWherePackageRegexpFindsThem(t *testing.T) {
	r, s, tried := rand.New(rand.NewPCG(15, 1)), &search{}, 0
	pieces := []string{"a", "b", "a", "b", " ", "A", "电", "\xe7", "\xb5", "_", "ü", "\n", "0"}
	for range 5000 {
		m, err := New(map[string]string{"x": expression(r, 5)})
		if err != nil {
			continue
		}
		for few := range 4 {
			var b strings.Builder
			for range r.IntN(14) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			findsAll(t, s, m.custom[0], few, b.String())
			tried++
		}
	}
	if tried < 10000 {
		t.Errorf("only %d were compared", tried)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("a.*b|a", "aaab a")
	f.Add(`\b(?:|a)*?\B|电+?`, "a电a\xe7")
	s := &search{}
	f.Fuzz(func(t *testing.T, expression, text string) {
		m, err := New(map[string]string{"x": expression})
		if err != nil {
			return
		}
		for few := range 3 {
			findsAll(t, s, m.custom[0], few, text)
		}
	})
}
