package mask

// maxDigits is more than any number that is looked for has.
const maxDigits = 20

// run is digits that follow each other: in groups, with one separator between.
type run struct {
	digits [maxDigits + 1]byte // '0' to '9'
	n      int                 // digits; beyond maxDigits = too many
	groups [8]group
	parts  int
	sep    byte // between the groups: space or hyphen; 0 = there is one group
}

// group is digits in one piece.
type group struct {
	start, end int // bytes
	n          int // digits
}

// read takes the digits at i apart: the group there, and those that one and the
// same separator joins to it, as many as a number may have.
func (s *scanner) read(i int) (r run) {
	r.group(s, i)
	for r.n <= maxDigits && r.parts < len(r.groups) {
		end := r.groups[r.parts-1].end
		c := s.at(end)
		if c != ' ' && c != '-' || r.sep != 0 && c != r.sep || s.digitAt(end+1) < 0 {
			return r
		}
		r.sep = c
		r.group(s, end+1)
	}
	return r
}

// group reads one piece.
func (r *run) group(s *scanner, i int) {
	g := group{start: i, end: i}
	for r.n <= maxDigits {
		d := s.digitAt(g.end)
		if d < 0 {
			break
		}
		r.digits[r.n] = byte('0' + d)
		r.n++
		g.n++
		g.end += s.width(g.end)
	}
	r.groups[r.parts] = g
	r.parts++
}

// first is the group that the run begins with, as text.
func (r *run) first() string { return string(r.digits[:r.groups[0].n]) }

// take returns the digits of the first groups whose sizes are given, and where the
// last of them ends; "" when the run has others.
func (r *run) take(sizes ...int) (digits string, end int) {
	if r.parts < len(sizes) {
		return "", 0
	}
	n := 0
	for i, size := range sizes {
		if r.groups[i].n != size {
			return "", 0
		}
		n += size
	}
	return string(r.digits[:n]), r.groups[len(sizes)-1].end
}

// after is the size of the group that follows the first few, 0 when there is none.
func (r *run) after(few int) int {
	if few < r.parts {
		return r.groups[few].n
	}
	return 0
}

// skip returns where the digits end that i stands in.
func (s *scanner) skip(i int) int {
	for i < len(s.text) && s.digitAt(i) >= 0 {
		i += s.width(i)
	}
	return i
}
