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
	found  [len(kindNames)]int // by kind, since they were last added to counts

	labels  labels
	changed bool
}

func newScanner(text []byte, counts Counts, labels labels) scanner {
	return scanner{text: text, counts: counts, labels: labels, last: -1, slash: -maxEscape}
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
	t['@'], t[wideLead], t['\\'] = at, wideE, slash
	return t
}()

// scan goes on as far as it can. It returns true when it stopped for a decision
// that needs more text: pos is then where that begins.
func (s *scanner) scan() (stopped bool) {
	defer s.tell()
	for s.seek() {
		s.short = false
		next := s.pos + 1
		switch t := triggers[s.text[s.pos]]; {
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

// seek goes to the next byte that may begin something and reports whether there is one.
func (s *scanner) seek() bool {
	for i, c := range s.text[s.pos:] {
		if triggers[c] != none {
			s.pos += i
			return true
		}
	}
	s.pos = len(s.text)
	return false
}

// tell adds what was found to the counts: once for a piece, as a map is slow.
func (s *scanner) tell() {
	for k, n := range s.found {
		if n > 0 {
			s.counts[kindNames[k]] += n
			s.found[k] = 0
			s.changed = true
		}
	}
}
