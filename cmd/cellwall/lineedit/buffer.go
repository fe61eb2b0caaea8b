package lineedit

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// buffer is a text and where the cursor stands in it, in characters. The cursor
// never stands inside of what shows as one character.
type buffer struct {
	text   []rune
	cursor int
}

func (b *buffer) String() string { return string(b.text) }

// set replaces everything and puts the cursor at the end.
func (b *buffer) set(text string) {
	b.text = []rune(text)
	b.cursor = len(b.text)
}

func (b *buffer) insert(text string) {
	added := []rune(text)
	b.text = slices.Insert(b.text, b.cursor, added...)
	b.cursor += len(added)
}

// remove takes out what stands from one place to another, in either order, and
// returns it.
func (b *buffer) remove(from, to int) string {
	if from > to {
		from, to = to, from
	}
	gone := string(b.text[from:to])
	b.text = slices.Delete(b.text, from, to)
	b.cursor = from
	return gone
}

// replace puts text in the place of what stands from one place to another.
func (b *buffer) replace(from, to int, text string) {
	b.remove(from, to)
	b.insert(text)
}

// after is the end of what shows as one character from at on.
func (b *buffer) after(at int) int {
	if at >= len(b.text) {
		return len(b.text)
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(string(b.text[at:min(at+32, len(b.text))]), -1)
	return at + max(1, len([]rune(cluster)))
}

// before is the beginning of what shows as one character up to at.
func (b *buffer) before(at int) int {
	from := b.lineStart(at)
	if from == at {
		return max(0, at-1)
	}
	for {
		next := b.after(from)
		if next >= at {
			return from
		}
		from = next
	}
}

func (b *buffer) lineStart(at int) int {
	for at > 0 && b.text[at-1] != '\n' {
		at--
	}
	return at
}

func (b *buffer) lineEnd(at int) int {
	for at < len(b.text) && b.text[at] != '\n' {
		at++
	}
	return at
}

// wordLeft is where the word before at begins.
func (b *buffer) wordLeft(at int) int {
	for at > 0 && !word(b.text[at-1]) {
		at--
	}
	for at > 0 && word(b.text[at-1]) {
		at--
	}
	return at
}

// wordRight is where the word after at ends.
func (b *buffer) wordRight(at int) int {
	for at < len(b.text) && !word(b.text[at]) {
		at++
	}
	for at < len(b.text) && word(b.text[at]) {
		at++
	}
	return at
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// vertical moves the cursor a line up (-1) or down (1) in the same column, and
// reports whether there is one.
func (b *buffer) vertical(by int) bool {
	start, end := b.lineStart(b.cursor), b.lineEnd(b.cursor)
	column := columns(b.text[start:b.cursor])
	switch {
	case by < 0 && start > 0:
		start = b.lineStart(start - 1)
	case by > 0 && end < len(b.text):
		start = end + 1
	default:
		return false
	}
	at, stop := start, b.lineEnd(start)
	for at < stop && columns(b.text[start:b.after(at)]) <= column {
		at = b.after(at)
	}
	b.cursor = at
	return true
}

// indent is the white space that the line of the cursor begins with.
func (b *buffer) indent() string {
	line := string(b.text[b.lineStart(b.cursor):b.cursor])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// blankBefore reports whether only white space stands before the cursor in its
// line.
func (b *buffer) blankBefore() bool {
	return strings.TrimSpace(string(b.text[b.lineStart(b.cursor):b.cursor])) == ""
}

// clean makes a text from outside what a cell may hold: line ends are \n.
func clean(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
