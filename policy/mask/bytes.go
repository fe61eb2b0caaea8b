package mask

// A wide digit or star has three bytes, which begin with these two.
const wideLead, wideNext = 0xEF, 0xBC

// at returns a byte, 0 beyond either end.
func (s *scanner) at(i int) byte {
	if uint(i) < uint(len(s.text)) {
		return s.text[i]
	}
	s.short = s.short || i >= 0 && !s.final
	return 0
}

// digitAt returns the digit at i, ASCII or wide, or -1.
func (s *scanner) digitAt(i int) int {
	if c := s.at(i); c != wideLead {
		return int(values[c])
	}
	return s.wideAt(i)
}

// wideAt returns the wide digit at i, or -1.
func (s *scanner) wideAt(i int) int {
	if s.at(i+1) != wideNext {
		return -1
	}
	if c := s.at(i + 2); c >= 0x90 && c <= 0x99 {
		return int(c - 0x90)
	}
	return -1
}

// values are those of ASCII digits, -1 for other bytes.
var values = func() (t [256]int8) {
	for c := range t {
		t[c] = -1
		if c >= '0' && c <= '9' {
			t[c] = int8(c - '0')
		}
	}
	return t
}()

// width is how many bytes the digit at i takes.
func (s *scanner) width(i int) int {
	if s.text[i] == wideLead {
		return 3
	}
	return 1
}

// digitBefore reports whether a digit ends at i.
func (s *scanner) digitBefore(i int) bool {
	c := s.at(i - 1)
	return c >= '0' && c <= '9' || c >= 0x90 && c <= 0x99 && s.at(i-2) == wideNext && s.at(i-3) == wideLead
}

// starBefore reports whether what was masked ends at i.
func (s *scanner) starBefore(i int) bool {
	return s.at(i-1) == '*' || s.at(i-1) == 0x8A && s.at(i-2) == wideNext && s.at(i-3) == wideLead
}

// starAt reports whether what was masked begins at i.
func (s *scanner) starAt(i int) bool {
	c := s.at(i)
	return c == '*' || c == wideLead && s.at(i+1) == wideNext && s.at(i+2) == 0x8A
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func alphanumeric(c byte) bool { return letter(c) || c >= '0' && c <= '9' }
