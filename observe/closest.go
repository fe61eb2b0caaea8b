package observe

import (
	"slices"
	"strings"
	"unicode"
)

// The bounds of a search for similar names.
const (
	maxSuggestions = 3
	maxCandidates  = 2000
	maxCompared    = 64 // characters; longer names are compared by case and prefix only
)

// closest returns at most three of the candidates that wrong most likely
// stands for, best first, and none rather than a wild guess.
func closest(wrong string, candidates []string) []string {
	w := form(wrong)
	if len(w.letters) == 0 {
		return nil
	}
	type scored struct {
		name string
		cost int
	}
	var found []scored
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		if cost, ok := likeness(w, form(c)); ok && c != wrong {
			found = append(found, scored{c, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.cost - b.cost })
	var names []string
	for _, f := range found {
		if f.cost > found[0].cost+spread || len(names) == maxSuggestions {
			break
		}
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// closestOfAll suggests for several wrong names: the best for each.
func closestOfAll(wrong, candidates []string) []string {
	if len(wrong) == 1 {
		return closest(wrong[0], candidates)
	}
	var names []string
	for _, w := range wrong {
		if found := closest(w, candidates); len(found) > 0 && len(names) < maxSuggestions && !slices.Contains(names, found[0]) {
			names = append(names, found[0])
		}
	}
	return names
}

// The costs of being alike; lower is closer.
const (
	costCase      = 1 // the same but for case, spaces and separators
	costPerEdit   = 3
	costWordOrder = 4
	costPrefix    = 4 // and one for every three letters that are missing
	costContained = 6
	spread        = 5 // how much worse than the best a further name may be
)

// spelling is a name as it is compared.
type spelling struct {
	letters []rune   // folded, without separators
	words   []string // folded, sorted
	wide    bool     // has letters of a script without case and word breaks
}

func form(name string) spelling {
	var s spelling
	folded := strings.ToLower(strings.TrimSpace(cutEnd(name, 4*maxCompared)))
	for _, r := range folded {
		if separates(r) {
			continue
		}
		s.letters = append(s.letters, r)
		s.wide = s.wide || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	s.words = strings.FieldsFunc(folded, separates)
	slices.Sort(s.words)
	return s
}

func separates(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("_-./:()[]（）【】", r)
}

// likeness tells how much b differs from a, and whether it is near enough to
// be meant.
func likeness(a, b spelling) (int, bool) {
	if len(b.letters) == 0 {
		return 0, false
	}
	if slices.Equal(a.letters, b.letters) {
		return costCase, true
	}
	best, ok := 1<<30, false
	consider := func(cost int) { best, ok = min(best, cost), true }
	if limit := tolerance(a, b); limit > 0 && len(a.letters) <= maxCompared && len(b.letters) <= maxCompared {
		if d := distance(a.letters, b.letters, limit); d <= limit {
			consider(d * costPerEdit)
		}
	}
	if len(a.words) > 1 && slices.Equal(a.words, b.words) {
		consider(costWordOrder)
	}
	short, long := a.letters, b.letters
	if len(short) > len(long) {
		short, long = long, short
	}
	missing := (len(long) - len(short)) / 3
	if least := shortest(a, b); len(short) >= least && 4*len(short) >= len(long) {
		switch at := index(long, short); {
		case at == 0:
			consider(costPrefix + missing)
		case at > 0 && (len(short) > least || a.wide):
			consider(costContained + missing)
		}
	}
	return best, ok
}

// tolerance is how many edits a name of this length may be away: one in
// three letters, at most three; one character of a Chinese word of two.
func tolerance(a, b spelling) int {
	n := min(len(a.letters), len(b.letters))
	if a.wide || b.wide {
		if n < 2 {
			return 0
		}
		return max(1, min(n/3, 2))
	}
	return min(n/3, 3)
}

// shortest is how long a piece of a name must be to say anything.
func shortest(a, b spelling) int {
	if a.wide && b.wide {
		return 2
	}
	return 3
}

func index(long, short []rune) int {
	for i := 0; i+len(short) <= len(long); i++ {
		if slices.Equal(long[i:i+len(short)], short) {
			return i
		}
	}
	return -1
}
