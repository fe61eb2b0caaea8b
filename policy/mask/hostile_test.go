package mask_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/policy/mask"
)

// alphabet has as many patterns as there may be, each of one letter.
func alphabet(expression string) map[string]string {
	all := map[string]string{}
	for i := range 26 {
		all[fmt.Sprintf("p%d", i)] = strings.ReplaceAll(expression, "#", string(rune('a'+i)))
	}
	return all
}

// hostile are patterns that find something at once and look far ahead for more, with the
// text that has them do that at each place.
var hostile = map[string]struct {
	patterns map[string]string
	text     string
}{
	"on to the end":      {map[string]string{"x": `a.*b|a`}, "a"},
	"lazily":             {map[string]string{"x": `a.*?b|a`}, "a"},
	"by words":           {map[string]string{"x": `\ba.*b\b|a`}, "a "},
	"loops in loops":     {map[string]string{"x": `(?:a+)+b|(?:(?:a|aa)+)+c|a`}, "a"},
	"a loop over little": {map[string]string{"x": `(?:a|\b)*b|a`}, "a "},
	"counted":            {map[string]string{"x": `a[ -~]{0,900}b|a`}, "a"},
	"counted twice":      {map[string]string{"x": `(?:a|b){0,300}c|[ab]`}, "ab"},
	"large":              {map[string]string{"x": `[ab]*[ab]{150}[ab]{100}c|a`}, "ab"},
	"nothing":            {map[string]string{"x": `\b|a.*b`}, "a "},
	"backwards too":      {map[string]string{"x": `[a ].*c|[a ][ab ]*b|a`}, "a "},
	"wide":               {map[string]string{"x": `电.*b|电`}, "电"},
	"no character":       {map[string]string{"x": `\x{fffd}.*b|.`}, "\xe7"},
	"many":               {alphabet(`#.*1|#`), "abcdefghijklmnopqrstuvwxyz"},
	"many large":         {alphabet(`[a-z]{0,20}#.*1|#`), "abcdefghijklmnopqrstuvwxyz"},
}

// cost is the least processor time of a few that masking a text of so many bytes took.
func cost(m *mask.Masker, text string, n int) time.Duration {
	text = strings.Repeat(text, n/len(text))
	least := time.Hour
	for range 2 {
		before := busy()
		m.Text(text)
		least = min(least, busy()-before)
	}
	return least
}

// Sixteen times the text costs about sixteen times as much, also where it is in one line.
// Where each search goes on to the end of the line it is 256 times.
func TestM15_NoTextCostsMoreThanItsLength(t *testing.T) {
	const n = 1 << 10
	for name, h := range hostile {
		m := newMasker(h.patterns)
		few, many := cost(m, h.text, n), cost(m, h.text, 16*n)
		t.Logf("%-20s %8v for %d bytes, %8v for %d", name, few, n, many, 16*n)
		if many > 48*few+100*time.Millisecond {
			t.Errorf("%s: %v for %d bytes, and %v for %d", name, few, n, many, 16*n)
		}
	}
}

// BenchmarkOwn masks rows with a pattern such as a tenant may have.
func BenchmarkOwn(b *testing.B) {
	for name, c := range map[string][2]string{
		"in each row": {`EMP-[0-9]{6}`, "17,EMP-204417,3380,a name,0.4711\n"},
		"in none":     {`EMP-[0-9]{6}`, "The mean of 利润 by region was computed for each quarter.\n"},
		"often":       {`[0-9]+`, "17,EMP-204417,3380,a name,0.4711\n"},
		"hostile":     {`a.*b|a`, "a"},
	} {
		b.Run(name, func(b *testing.B) {
			m, text := newMasker(map[string]string{"x": c[0]}), strings.Repeat(c[1], 1<<18/len(c[1]))
			before := busy()
			for b.Loop() {
				m.Text(text)
			}
			b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(busy()-before).Seconds(), "MB/cpu-s")
		})
	}
}
