package mask

// hide masks the digits from i to end, all but the last four.
func (s *scanner) hide(i, end int, k kind) int {
	if s.short { // it may go on
		return i
	}
	number := s.text[i:end]
	number = number[:lastFour(number)]
	for at, c := range number {
		switch {
		case c >= '0' && c <= '9':
			number[at] = '*'
		case c == wideLead: // ＊ for a wide digit
			number[at+1], number[at+2] = wideNext, 0x8A
		}
	}
	s.found[k]++
	s.last = end
	return end
}

// lastFour is where the last four digits of a number begin, a letter among them.
func lastFour(number []byte) int {
	at := len(number)
	for n := 0; n < 4 && at > 0; {
		at--
		if c := number[at]; alphanumeric(c) || c == wideLead {
			n++
		}
	}
	return at
}
