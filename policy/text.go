package policy

import (
	"strings"
	"unicode/utf8"
)

// text is a program as it is written, and what keeps searches in it short.
type text struct {
	source string
	folded string               // lower case
	pairs  [1 << 16 / 64]uint64 // a bit for each two bytes side by side in folded
}

func textOf(source string) *text {
	t := &text{source: source, folded: strings.ToLower(source)}
	for at := 1; at < len(t.folded); at++ {
		word, bit := pair(t.folded, at)
		t.pairs[word] |= bit
	}
	return t
}

// pair is where the bit of a byte and the one before it stands.
func pair(text string, at int) (word int, bit uint64) {
	both := uint(text[at-1])<<8 | uint(text[at])
	return int(both >> 6), 1 << (both & 63)
}

// mayHold reports whether a part may stand in the text, in any case: most do not,
// because two letters of it never meet there.
func (t *text) mayHold(part string) bool {
	part = strings.ToLower(part)
	for at := 1; at < len(part); at++ {
		if word, bit := pair(part, at); t.pairs[word]&bit == 0 {
			return false
		}
	}
	return true
}

// has reports whether a word stands in the text by itself, with no letter or digit
// of ASCII beside it.
func (t *text) has(word string) bool {
	if word == "" || !t.mayHold(word) {
		return false
	}
	for from := 0; ; {
		at := strings.Index(t.source[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !plainLetter(t.source[at-1])) && (end == len(t.source) || !plainLetter(t.source[end])) {
			return true
		}
		from = at + 1
	}
}

func plainLetter(b byte) bool {
	return b < utf8.RuneSelf && inWord(b)
}
