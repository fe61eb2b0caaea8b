package agent

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Source says which execution gave a number of the answer.
type Source struct {
	Number    string `json:"number"` // as the answer writes it
	Execution string `json:"execution,omitempty"`
	Given     bool   `json:"given"` // false: no execution printed it, at the answer's precision
}

// printed is what an execution gave.
type printed struct{ execution, text string }

// numeral is a number as people and programs write it, with what scales it.
var numeral = regexp.MustCompile(`[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?\s?(?:%|％|万|亿|[kKmM]\b)?`)

// named are things that are written with digits and are no measures.
var named = regexp.MustCompile(`\b[A-Za-z_]\w*\d\w*|\d{4}[-/年]\d{1,2}(?:[-/月]\d{1,2}日?)?|\d{4}\s?年|\d{1,2}\s?月|Q[1-4]`)

// figure is one number that was read.
type figure struct {
	text     string
	value    float64 // without its scale
	decimals int
	scales   []float64 // what was printed may be this many times it
}

// The bounds of the search: a model can write any number of numbers.
const (
	maxFigures = 20_000 // of one text are looked at
	maxSources = 300    // of an answer are looked for
)

// sourcesOf looks for the numbers of an answer in what was printed, the latest
// execution first. Whole numbers up to 10, years from 1900 to 2100, dates and numbers of the
// question are no findings and not looked for.
func sourcesOf(answer, question string, given []printed) []Source {
	list := []Source{}
	asked, found := figures(question), make([][]figure, len(given))
	for i, one := range given {
		found[i] = figures(one.text)
	}
	seen := map[string]bool{}
	for _, f := range figures(named.ReplaceAllString(answer, " ")) {
		if seen[f.text] || f.trivial() || f.in(asked) {
			continue
		}
		if seen[f.text] = true; len(list) == maxSources {
			break
		}
		s := Source{Number: f.text}
		for i := len(given) - 1; i >= 0 && !s.Given; i-- {
			if f.in(found[i]) {
				s.Execution, s.Given = given[i].execution, true
			}
		}
		list = append(list, s)
	}
	return list
}

// figures reads the numbers of a text.
func figures(text string) (list []figure) {
	for _, found := range numeral.FindAllString(text, maxFigures) {
		f := figure{text: strings.TrimSpace(found), scales: []float64{1}}
		digits := strings.NewReplacer(",", "", "−", "-").Replace(f.text)
		plain := strings.TrimRight(digits, " %％万亿kKmM")
		switch strings.TrimSpace(strings.TrimPrefix(digits, plain)) {
		case "%", "％":
			f.scales = []float64{1, 0.01}
		case "万":
			f.scales = []float64{1e4}
		case "亿":
			f.scales = []float64{1e8}
		case "k", "K":
			f.scales = []float64{1e3}
		case "m", "M":
			f.scales = []float64{1e6}
		}
		value, err := strconv.ParseFloat(plain, 64)
		if err != nil && !math.IsInf(value, 0) {
			continue
		}
		if at := strings.IndexByte(plain, '.'); at >= 0 && !strings.ContainsAny(plain, "eE") {
			f.decimals = len(plain) - at - 1
		}
		f.value = value
		list = append(list, f)
	}
	return list
}

// trivial numbers count things that a reader sees himself.
func (f figure) trivial() bool {
	whole := f.decimals == 0 && f.scales[0] == 1 && len(f.scales) == 1
	return whole && (math.Abs(f.value) <= 10 || f.value >= 1900 && f.value <= 2100)
}

// in reports whether one of the numbers is this one, rounded as it is.
func (f figure) in(given []figure) bool {
	step := math.Pow(10, -float64(f.decimals))
	for _, g := range given {
		for _, scale := range f.scales {
			// A loss may be told as its size.
			if distance := math.Abs(math.Abs(g.value*g.scales[0])/scale - math.Abs(f.value)); distance <= step/2*(1+1e-9) {
				return true
			}
		}
	}
	return false
}
