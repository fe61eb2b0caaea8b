package mask

import "bytes"

// Stream masks a text that comes in pieces. What comes out is the same wherever
// they are cut. It is for one goroutine.
type Stream struct {
	scanner

	out    int // bytes of text that were given out
	custom lines
}

// Push takes the next piece and returns what can be said now, which may be less or
// more: of what could still become something personal a few hundred bytes wait, and as
// long as custom patterns are set, a line, or 17 KiB of it. The answer is the caller's
// own.
func (s *Stream) Push(piece []byte) []byte {
	s.text = append(s.text, piece...)
	s.scan()
	wait, _ := s.runStart(s.pos)
	return s.custom.push(s.give(wait))
}

// Flush ends the text and returns the rest. The stream can be used for another one.
func (s *Stream) Flush() []byte {
	s.final = true
	s.scan()
	s.custom.held = append(s.custom.held, s.give(len(s.text))...)
	s.scanner, s.out = newScanner(s.text[:0], s.counts, s.labels), 0
	return s.custom.flush()
}

// give returns the text up to end, and lets go of what nobody looks back at.
func (s *Stream) give(end int) []byte {
	if end <= s.out {
		return nil
	}
	ready := bytes.Clone(s.text[s.out:end])
	s.out = end
	if drop := end - behind; drop > len(s.text)/2 {
		s.text = append(s.text[:0], s.text[drop:]...)
		s.pos, s.out, s.last, s.slash = s.pos-drop, s.out-drop, max(s.last-drop, -1), max(s.slash-drop, -maxEscape)
	}
	return ready
}
