package stream

import "unicode/utf8"

// runes puts the bytes of one output stream together to whole characters.
type runes struct {
	rest [utf8.UTFMax]byte // the beginning of one that has not come whole
	n    int
}

// take returns the text that is whole now.
func (r *runes) take(b []byte) string {
	b = append(r.rest[:r.n:r.n], b...)
	whole := len(b) - torn(b)
	r.n = copy(r.rest[:], b[whole:])
	return string(b[:whole])
}

// end returns what never came whole.
func (r *runes) end() string {
	b := r.rest[:r.n]
	r.n = 0
	return string(b)
}

// torn returns how many bytes at the end of b may begin a character that goes
// on behind it.
func torn(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		tail := b[len(b)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
