package main

import (
	"io"
	"unicode/utf8"

	"github.com/cellwall/cellwall/observe"
)

// escaper writes a program's output to a terminal so that the terminal obeys
// none of it. A character may come in two pieces: the first waits.
type escaper struct {
	to   io.Writer
	held []byte // at most 3 bytes of an unfinished character
}

// Write always takes all of p; the error is that of the stream behind.
func (e *escaper) Write(p []byte) (int, error) {
	text := append(e.held, p...)
	whole := len(text) - unfinished(text)
	e.held = append([]byte(nil), text[whole:]...)
	_, err := io.WriteString(e.to, observe.Terminal(string(text[:whole])))
	return len(p), err
}

// Flush writes what waits for a piece that did not come.
func (e *escaper) Flush() error {
	_, err := io.WriteString(e.to, observe.Terminal(string(e.held)))
	e.held = nil
	return err
}

// unfinished returns how many bytes at the end of p begin a character that is
// not complete.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
