package controller

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// stream keeps the head and the tail of an output stream while it is read.
type stream struct {
	keep  int    // bytes of head, and again of tail
	head  []byte // the first keep bytes
	tail  []byte // the last keep bytes after head; a ring once it is full
	at    int    // where the ring goes on
	total int64
	spool spool
}

func (s *stream) write(p []byte) {
	s.total += int64(len(p))
	n := min(len(p), s.keep-len(s.head))
	s.head = append(s.head, p[:n]...)
	p = p[n:]
	if len(p) == 0 {
		return
	}
	if s.cuts(len(p)) {
		if !s.spool.begun { // nothing is lost so far: head and tail are all there was
			s.spool.write(s.head)
			s.spool.write(s.tail)
		}
		s.spool.write(p)
	}
	s.ring(p)
}

// cuts reports whether something is lost when n more bytes come.
func (s *stream) cuts(n int) bool { return s.spool.begun || len(s.tail)+n > s.keep }

// ring appends p to the last keep bytes.
func (s *stream) ring(p []byte) {
	if len(p) >= s.keep { // p alone fills the ring
		s.tail = append(s.tail[:0], p[len(p)-s.keep:]...)
		s.at = 0
		return
	}
	n := min(len(p), s.keep-len(s.tail))
	s.tail = append(s.tail, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(s.tail[s.at:], p)
		s.at = (s.at + n) % s.keep
	}
}

// output returns what is kept as text.
func (s *stream) output() cellwall.Output {
	tail := string(s.tail[s.at:]) + string(s.tail[:s.at])
	missing := s.total - int64(len(s.head)+len(tail))
	if missing <= 0 {
		return cellwall.Output{Text: valid(string(s.head) + tail), Bytes: s.total}
	}
	head := trimEnd(string(s.head))
	tail = trimStart(tail)
	missing = s.total - int64(len(head)+len(tail))
	text := fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", valid(head), missing, valid(tail))
	return cellwall.Output{Text: text, Bytes: s.total, Truncated: true}
}

// valid replaces bytes that are no UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// trimEnd takes off a character that was cut in two at the end of s.
func trimEnd(s string) string {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			return s
		}
	}
	return s
}

// trimStart takes off what is left of a character that was cut in two.
func trimStart(s string) string {
	i := 0
	for i < len(s) && i < utf8.UTFMax-1 && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}
