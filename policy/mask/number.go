package mask

// number decides about the digits that begin at i and returns where to go on.
func (s *scanner) number(i int) int {
	if s.digitBefore(i) { // the rest of a run that was too long
		return s.skip(i)
	}
	escape := s.escape(i)
	if escape > i { // its first digits belong to an escape
		if s.digitAt(escape) < 0 {
			return escape
		}
		i = escape
	}
	if s.at(i-1) == '+' {
		if end := s.international(i); end > 0 {
			return s.hide(i, end, aPhone)
		}
	}
	g := s.piece(i)
	if !promising[g.n] || escape < 0 && !s.startsAt(i) {
		return g.end
	}
	k, end := s.judge(g)
	if k == nothing || s.inAddress(end) {
		return g.end
	}
	return s.hide(i, end, k)
}

// promising are the sizes of groups that anything begins with.
var promising = [maxDigits + 2]bool{
	2: true, 3: true, 4: true, 6: true,
	11: true, 12: true, 13: true, 14: true, 15: true, 16: true, 17: true, 18: true, 19: true,
}

// judge returns what begins with a group, and where that ends.
func (s *scanner) judge(g group) (kind, int) {
	if g.n >= 11 {
		k, end := s.solid(g)
		if k != nothing && !s.endsAt(end) {
			k = nothing
		}
		return k, end
	}
	if c := s.at(g.end); c != ' ' && c != '-' || s.digitAt(g.end+1) < 0 {
		return nothing, 0
	}
	r := s.read(g)
	if end := s.prefixed(&r); end > 0 {
		return aPhone, end
	}
	if end := s.groupedX(&r); end > 0 {
		return anID, end
	}
	k, groups := r.grouped()
	if k == nothing || !s.stands(&r, k, groups) {
		return nothing, 0
	}
	return k, r.groups[groups-1].end
}

// solid is what a group of eleven digits or more is by itself.
func (s *scanner) solid(g group) (kind, int) {
	var space [maxDigits + 1]byte
	digits := s.text[g.start:g.end]
	if len(digits) > g.n {
		digits = narrow(space[:0], digits)
	}
	switch {
	case g.n == 17:
		if c := s.at(g.end); (c == 'X' || c == 'x') && residentX(digits) {
			return anID, g.end + 1
		}
	case domestic(digits):
		return aPhone, g.end
	case resident(digits):
		return anID, g.end
	}
	if card(digits) {
		return aCard, g.end
	}
	return nothing, 0
}

// prefixed returns where 86-13800003380 ends.
func (s *scanner) prefixed(r *run) int {
	digits, end := r.take(2, 11)
	if digits == nil || r.sep != '-' || string(digits[:2]) != "86" || !mobile(digits[2:]) || !s.endsAt(end) {
		return 0
	}
	return end
}

// groupedX returns where an identity number in groups ends whose check digit is X.
func (s *scanner) groupedX(r *run) int {
	digits, end := r.take(6, 8, 3)
	if c := s.at(end); digits == nil || c != 'X' && c != 'x' || !residentX(digits) || !s.endsAt(end+1) {
		return 0
	}
	return end + 1
}

// grouped is what the first few groups are together.
func (r *run) grouped() (k kind, groups int) {
	switch r.groups[0].n {
	case 2: // 86 138 0000 3380
		if digits, _ := r.take(2, 3, 4, 4); digits != nil && string(digits[:2]) == "86" && mobile(digits[2:]) {
			return aPhone, 4
		}
	case 3:
		if digits, _ := r.take(3, 4, 4); digits != nil && mobile(digits) {
			return aPhone, 3
		}
	case 6:
		if digits, _ := r.take(6, 8, 4); digits != nil && resident(digits) {
			return anID, 3
		}
		if digits, _ := r.take(6, 13); digits != nil && card(digits) {
			return aCard, 2
		}
	case 4:
		return r.groupedCard()
	}
	return nothing, 0
}

// groupedCard tries the groups that cards are printed in, longest first.
func (r *run) groupedCard() (k kind, groups int) {
	for _, sizes := range cardGroups {
		if digits, _ := r.take(sizes...); digits != nil && card(digits) {
			return aCard, len(sizes)
		}
	}
	return nothing, 0
}
