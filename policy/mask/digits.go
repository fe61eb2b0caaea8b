package mask

// maxDigits is more than any number that is looked for has.
const maxDigits = 20

// group is digits in one piece.
type group struct {
	start, end int // bytes
	n          int // digits
}

// piece is the group that begins at i; no more of it than one digit over maxDigits.
func (s *scanner) piece(i int) group {
	n := 0
	for _, c := range s.text[i:min(i+maxDigits+1, len(s.text))] {
		if c-'0' > 9 {
			break
		}
		n++
	}
	g := group{start: i, end: i + n, n: n}
	if n <= maxDigits && (g.end == len(s.text) || s.text[g.end] == wideLead) {
		s.more(&g)
	}
	return g
}

// more adds to a group what follows it, wide digits too.
func (s *scanner) more(g *group) {
	for ; g.n <= maxDigits && s.digitAt(g.end) >= 0; g.n++ {
		g.end += s.width(g.end)
	}
}

// skip returns where the digits end that i stands in.
func (s *scanner) skip(i int) int {
	for i < len(s.text) && s.digitAt(i) >= 0 {
		i += s.width(i)
	}
	return i
}

// narrow appends to digits those of a text that has nothing else, wide ones as ASCII.
func narrow(digits, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == wideLead {
			c = text[i+2] - 0x90 + '0'
			i += 2
		}
		digits = append(digits, c)
	}
	return digits
}
