package mask

import "strings"

// number decides about the digits that begin at i and returns where to go on.
func (s *scanner) number(i int) int {
	if s.digitBefore(i) { // the rest of a run that was too long
		return s.skip(i)
	}
	escape := -1
	if i < s.slash+maxEscape {
		if escape = s.escape(i); escape > i { // its first digits belong to an escape
			if s.digitAt(escape) < 0 {
				return escape
			}
			i = escape
		}
	}
	if s.at(i-1) == '+' {
		if end := s.international(i); end > 0 {
			return s.hide(i, end, Phone)
		}
	}
	if end, n := s.piece(i); !promising(n) {
		return end
	}
	r := s.read(i)
	if kind, end := s.judge(&r, escape >= 0); kind != "" && !s.inAddress(end) {
		return s.hide(i, end, kind)
	}
	return r.groups[0].end
}

// piece returns where the digits at i end, and how many they are; more than maxDigits
// when there are more.
func (s *scanner) piece(i int) (end, n int) {
	for end = i; n <= maxDigits; n++ {
		if end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
			end++
			continue
		}
		if s.digitAt(end) < 0 {
			break
		}
		end += 3
	}
	return end, n
}

// judge returns what the run begins with, and where that ends.
func (s *scanner) judge(r *run, escaped bool) (string, int) {
	if !escaped && !s.startsAt(r.groups[0].start) {
		return "", 0
	}
	if kind, end := s.solid(r); kind != "" {
		if s.endsAt(end) {
			return kind, end
		}
		return "", 0
	}
	if r.sep == 0 {
		return "", 0
	}
	if end := s.groupedX(r); end > 0 {
		return ID, end
	}
	kind, groups := r.grouped()
	if kind == "" || !s.stands(r, kind, groups) {
		return "", 0
	}
	return kind, r.groups[groups-1].end
}

// promising reports whether anything begins with a group of n digits.
func promising(n int) bool { return n == 2 || n == 3 || n == 4 || n == 6 || n >= 11 && n <= 19 }

// solid is what the first group is by itself.
func (s *scanner) solid(r *run) (string, int) {
	g := r.groups[0]
	if g.n < 11 && !(g.n == 2 && r.parts > 1 && r.sep == '-') {
		return "", 0
	}
	text := r.first()
	switch {
	case g.n == 2: // 86-13800003380
		if next, end := r.take(2, 11); text == "86" && next != "" && mobile(next[2:]) {
			return Phone, end
		}
	case g.n == 17:
		if c := s.at(g.end); (c == 'X' || c == 'x') && resident(text+"X") {
			return ID, g.end + 1
		}
	case mobile(strings.TrimPrefix(strings.TrimPrefix(text, "00"), "86")):
		return Phone, g.end
	case resident(text):
		return ID, g.end
	}
	if card(text) {
		return Card, g.end
	}
	return "", 0
}

// groupedX returns where an identity number in groups ends whose check digit is X.
func (s *scanner) groupedX(r *run) int {
	text, end := r.take(6, 8, 3)
	if c := s.at(end); text == "" || c != 'X' && c != 'x' || !resident(text+"X") || !s.endsAt(end+1) {
		return 0
	}
	return end + 1
}

// grouped is what the first few groups are together.
func (r *run) grouped() (kind string, groups int) {
	switch r.groups[0].n {
	case 2: // 86 138 0000 3380
		if text, _ := r.take(2, 3, 4, 4); strings.HasPrefix(text, "86") && mobile(text[2:]) {
			return Phone, 4
		}
	case 3:
		if text, _ := r.take(3, 4, 4); text != "" && mobile(text) {
			return Phone, 3
		}
	case 6:
		if text, _ := r.take(6, 8, 4); text != "" && resident(text) {
			return ID, 3
		}
		if text, _ := r.take(6, 13); text != "" && card(text) {
			return Card, 2
		}
	case 4:
		return r.groupedCard()
	}
	return "", 0
}

// groupedCard tries the groups that cards are printed in, longest first.
func (r *run) groupedCard() (kind string, groups int) {
	for _, sizes := range cardGroups {
		if text, _ := r.take(sizes...); text != "" && card(text) {
			return Card, len(sizes)
		}
	}
	return "", 0
}

// hide masks the digits from i to end, all but the last four.
func (s *scanner) hide(i, end int, k string) int {
	if s.short { // it may go on
		return i
	}
	total := 0
	for at := i; at < end; at++ {
		if s.digitAt(at) >= 0 || letter(s.text[at]) {
			total++
		}
	}
	for at := i; at < end && total > 4; {
		if s.digitAt(at) < 0 {
			at++
			continue
		}
		at = s.star(at)
		total--
	}
	s.count(k)
	s.last = end
	return end
}
