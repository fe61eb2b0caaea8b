package mask

// run is digits that follow each other: in groups, with one separator between.
type run struct {
	text   []byte
	groups [8]group
	parts  int
	n      int  // digits; beyond maxDigits = too many
	sep    byte // between the groups: space or hyphen; 0 = there is one group
	digits [maxDigits]byte
}

// read takes a run apart: its first group, and those that one and the same separator
// joins to it, as many as a number may have.
func (s *scanner) read(first group) (r run) {
	r.text, r.groups[0], r.parts, r.n = s.text, first, 1, first.n
	for end := first.end; r.n <= maxDigits && r.parts < len(r.groups); r.parts++ {
		c := s.at(end)
		if c != ' ' && c != '-' || r.sep != 0 && c != r.sep {
			break
		}
		g := s.piece(end + 1)
		if g.n == 0 {
			break
		}
		g.n = min(g.n, maxDigits+1-r.n)
		r.groups[r.parts], r.sep = g, c
		r.n += g.n
		end = g.end
	}
	return r
}

// take returns the digits of the first groups whose sizes are given, and where the
// last of them ends; nil when the run has others.
func (r *run) take(sizes ...int) (digits []byte, end int) {
	if r.parts < len(sizes) {
		return nil, 0
	}
	for i, size := range sizes {
		if r.groups[i].n != size {
			return nil, 0
		}
	}
	digits = r.digits[:0]
	for _, g := range r.groups[:len(sizes)] {
		digits = narrow(digits, r.text[g.start:g.end])
	}
	return digits, r.groups[len(sizes)-1].end
}

// after is the size of the group that follows the first few, 0 when there is none.
func (r *run) after(few int) int {
	if few < r.parts {
		return r.groups[few].n
	}
	return 0
}
