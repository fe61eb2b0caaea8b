package mask

// maxEscape is as long as the longest escape.
const maxEscape = 10

// escape returns where an escape of JSON or Python ends that a run of letters and
// digits begins in: \n, \x41, \u5357, \U0001f600. i is any place of the run, not beyond
// the end of the escape's own characters; the answer is -1 when there is none.
func (s *scanner) escape(i int) int {
	if i >= s.slash+maxEscape {
		return -1
	}
	return s.escapeBack(i)
}

func (s *scanner) escapeBack(i int) int {
	for back := 1; back <= maxEscape; back++ {
		c := s.at(i - back)
		if c == '\\' {
			if end := s.escapeEnd(i - back); end >= i {
				return end
			}
			return -1
		}
		if !alphanumeric(c) {
			return -1
		}
	}
	return -1
}

// escapeEnd returns where the escape ends whose backslash is at i.
func (s *scanner) escapeEnd(i int) int {
	n := 0 // hexadecimal digits
	switch s.at(i + 1) {
	case 'x':
		n = 2
	case 'u':
		n = 4
	case 'U':
		n = 8
	case 'n', 'r', 't', 'b', 'f', 'v', 'a':
	default:
		return -1
	}
	for k := range n {
		if c := s.at(i + 2 + k); !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return i + 2 // no escape after all: a letter behind a backslash
		}
	}
	return i + 2 + n
}
