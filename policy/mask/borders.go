package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// startsAt reports whether a number can begin at i, by what stands before it.
func (s *scanner) startsAt(i int) bool {
	c, before := s.at(i-1), s.at(i-2)
	switch {
	case letter(c), c == '$', c == '+':
		return false
	case c == '.': // a fraction; "Tel.138…" is none
		return letter(before) || before >= 0x80
	case c == '-': // a sign; "张三-138…" has none
		return s.wordBefore(i - 1)
	case c >= 0x80:
		return !s.currencyBefore(i)
	}
	return true
}

// wordBefore reports whether a word ends at i: letters of any script, or digits.
func (s *scanner) wordBefore(i int) bool {
	if s.escape(i) == i {
		return s.at(i-6) == '\\' // \u8bdd is a letter, \n is none
	}
	r, _ := utf8.DecodeLastRune(s.text[max(0, i-utf8.UTFMax):i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// currencyBefore reports whether ¥, ￥, £ or € ends at i.
func (s *scanner) currencyBefore(i int) bool {
	if c := s.at(i - 1); c != 0xA5 && c != 0xA3 && c != 0xAC { // what one of them ends in
		return false
	}
	for _, sign := range []string{"¥", "￥", "£", "€"} {
		if at := i - len(sign); at >= 0 && string(s.text[at:i]) == sign {
			return true
		}
	}
	return false
}

// endsAt reports whether a number can end at i, by what follows. A fraction of zeros
// is what a table of floats gives to a whole number.
func (s *scanner) endsAt(i int) bool {
	c := s.at(i)
	if letter(c) || c == '*' && s.hiddenAt(i) {
		return false
	}
	if c == '.' && s.starAt(i+1) { // the fraction has been taken for a number
		return false
	}
	if c != '.' || letter(s.at(i-1)) || s.digitAt(i+1) < 0 {
		return true
	}
	for k := range 8 {
		d := s.digitAt(i + 1 + k)
		if d < 0 {
			return !letter(s.at(i + 1 + k))
		}
		if d > 0 {
			return false
		}
	}
	return false
}

// hiddenAt reports whether the stars at i stand for the rest of a local part.
func (s *scanner) hiddenAt(i int) bool {
	for end := i + maxLocal; i < end && s.at(i) == '*'; {
		i++
	}
	return s.at(i) == '@'
}

// stands reports whether groups are a number of their own and no part of more: of an
// array, of a longer number.
func (s *scanner) stands(r *run, k kind, groups int) bool {
	start := r.groups[0].start
	if s.starBefore(start) {
		return false
	}
	end := r.groups[groups-1].end
	if !s.endsAt(end) || s.at(end) == r.sep && s.starAt(end+1) {
		return false
	}
	if k != aPhone && s.joinedBefore(start, r.sep) {
		return false
	}
	switch n := r.after(groups); {
	case n == 0, n != 4 && (r.sep == ' ' && n != 3 || k == aPhone):
		return true
	}
	next := s.read(s.piece(r.groups[groups].start)) // another one beside it?
	also, _ := next.grouped()
	return also != nothing
}

// joinedBefore reports whether the group before i belongs to what begins there: by the
// same separator, and no match, time or fraction of its own.
func (s *scanner) joinedBefore(i int, sep byte) bool {
	end := i - 1
	if s.at(end) != sep || s.last == end {
		return false
	}
	if s.starBefore(end) {
		return true
	}
	start := end
	for start > end-24 && s.digitBefore(start) {
		start--
		for start > 0 && s.text[start] >= 0x80 && s.text[start] < 0xC0 { // of a wide digit
			start--
		}
	}
	c := s.at(start - 1)
	return start < end && (c == 0 || strings.IndexByte(":.,/", c) < 0)
}
