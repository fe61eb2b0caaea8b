package mask

import (
	"bytes"
	"unicode/utf8"
)

// A line longer than this is looked at in parts, each with what follows it: a match
// is found whole when it has at most overlap bytes.
const (
	longestLine = 16 << 10
	overlap     = 1 << 10
)

// own masks with the caller's own patterns, line by line: one pattern after the other.
type own struct {
	patterns []pattern
	counts   Counts
	search   search
	hidden   int // matches so far
}

// text masks each line of text in place, and reports whether that changed anything.
func (o *own) text(text []byte) (changed bool) {
	if len(o.patterns) == 0 {
		return false
	}
	before, reach := o.hidden, make([]int, len(o.patterns))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		o.rest(line[o.parts(line, reach):], reach)
		text = rest
	}
	return o.hidden > before
}

// parts masks as many parts of a line as are settled, and returns where the rest of it
// begins. reach is, for each pattern, how far its latest match goes into what follows.
func (o *own) parts(line []byte, reach []int) (end int) {
	for rest := line; len(rest) > longestLine+overlap; rest = line[end:] {
		part := rest[:border(rest, longestLine+overlap)]
		limit := border(rest, longestLine)
		// What one pattern hides of the next part, another one must still see there.
		ahead := bytes.Clone(part[limit:])
		o.part(part, limit, reach)
		copy(part[limit:], ahead)
		end += limit
	}
	return end
}

// rest masks the end of a line, or all of a short one.
func (o *own) rest(line []byte, reach []int) {
	o.part(line, len(line), reach)
	clear(reach)
}

// part masks the matches in text that begin before limit, in place.
func (o *own) part(text []byte, limit int, reach []int) {
	for i, one := range o.patterns {
		from := reach[i]
		hide(text[:from])
		reach[i] = 0
		o.search.each(one, text[from:], limit-from, func(start, end int) {
			if hide(text[from+start : from+end]) {
				o.counts[one.kind]++
				o.hidden++
			}
			reach[i] = max(0, from+end-limit)
		})
	}
}

// border is the last place up to n, which is not the end of text, where a character
// begins; n where none does nearby.
func border(text []byte, n int) int {
	for at := n; at > n-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return n
}

// hide makes stars of text, as many bytes as there were, and reports whether that
// changed anything.
func hide(text []byte) (changed bool) {
	for len(text) > 0 {
		_, n := utf8.DecodeRune(text)
		stars := "*"
		switch n {
		case 2:
			stars = "**"
		case 3:
			stars = "＊"
		case 4:
			stars = "＊*"
		}
		changed = changed || string(text[:n]) != stars
		copy(text, stars)
		text = text[n:]
	}
	return changed
}
