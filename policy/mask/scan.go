package mask

// Bounds of what a decision looks at. A stream holds back no more than the last two
// together, and custom patterns a line.
const (
	maxLocal  = 64  // of an address, as RFC 5321 has it
	maxDomain = 255 // as DNS has it
	behind    = 512 // bytes that stay to be looked back at
)

// scanner masks a text in place, from left to right. What it decides depends on
// the text alone: where the text may still go on, and that would matter, it says
// so instead of deciding.
type scanner struct {
	text   []byte
	pos    int  // all before is decided
	last   int  // end of the latest match
	slash  int  // behind the latest backslash
	final  bool // nothing follows
	short  bool // a decision looked beyond the end
	counts Counts

	label  string // the latest that a domain ended in
	listed bool   // whether it is known: addresses mostly end alike

	changed bool
}

func newScanner(text []byte, counts Counts) scanner {
	return scanner{text: text, last: -1, slash: -maxEscape, counts: counts}
}

// trigger is what a byte may begin.
type trigger uint8

const (
	none  trigger = iota
	digit         // 0 to 9
	at            // @
	wideE         // first of three bytes, of which some are wide digits
	slash         // a backslash, which an escape begins with
)

var triggers = func() (t [256]trigger) {
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['@'], t[0xEF], t['\\'] = at, wideE, slash
	return t
}()

// scan goes on as far as it can. It returns true when it stopped for a decision
// that needs more text: pos is then where that begins.
func (s *scanner) scan() (stopped bool) {
	for s.pos < len(s.text) {
		t := triggers[s.text[s.pos]]
		if t == none {
			s.pos++
			continue
		}
		s.short = false
		next := s.pos + 1
		switch {
		case t == slash:
			s.slash = next
		case t == at:
			next = s.address(s.pos)
		case t == digit || s.digitAt(s.pos) >= 0:
			next = s.number(s.pos)
		}
		if s.short {
			return true
		}
		s.pos = next
	}
	return false
}

// at returns a byte, 0 beyond either end.
func (s *scanner) at(i int) byte {
	if i < 0 {
		return 0
	}
	if i >= len(s.text) {
		s.short = s.short || !s.final
		return 0
	}
	return s.text[i]
}

// digitAt returns the digit at i, ASCII or wide, or -1.
func (s *scanner) digitAt(i int) int {
	c := s.at(i)
	if c != 0xEF {
		return int(values[c])
	}
	if s.at(i+1) != 0xBC {
		return -1
	}
	if c = s.at(i + 2); c >= 0x90 && c <= 0x99 {
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
	if s.text[i] == 0xEF {
		return 3
	}
	return 1
}

// digitBefore reports whether a digit ends at i.
func (s *scanner) digitBefore(i int) bool {
	c := s.at(i - 1)
	return c >= '0' && c <= '9' || c >= 0x90 && c <= 0x99 && s.at(i-2) == 0xBC && s.at(i-3) == 0xEF
}

// starBefore reports whether what was masked ends at i.
func (s *scanner) starBefore(i int) bool {
	return s.at(i-1) == '*' || s.at(i-1) == 0x8A && s.at(i-2) == 0xBC && s.at(i-3) == 0xEF
}

// starAt reports whether what was masked begins at i.
func (s *scanner) starAt(i int) bool {
	return s.at(i) == '*' || s.at(i) == 0xEF && s.at(i+1) == 0xBC && s.at(i+2) == 0x8A
}

// star masks the character at i and returns where the next one begins.
func (s *scanner) star(i int) int {
	if s.text[i] == 0xEF { // ＊ for a wide digit
		s.text[i+1], s.text[i+2] = 0xBC, 0x8A
		return i + 3
	}
	s.text[i] = '*'
	return i + 1
}

func (s *scanner) count(k string) {
	s.counts[k]++
	s.changed = true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func alphanumeric(c byte) bool { return letter(c) || c >= '0' && c <= '9' }
