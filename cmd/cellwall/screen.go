package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cellwall/cellwall/observe"
)

// color is an SGR sequence.
type color string

const (
	plain color = ""
	red   color = "\x1b[31m"
	green color = "\x1b[32m"
	faint color = "\x1b[2m"
)

// screen is one output stream of ours, which may be a terminal.
type screen struct {
	file     *os.File
	terminal bool
	colors   bool
}

func newScreen(f *os.File) *screen {
	terminal := term.IsTerminal(int(f.Fd()))
	colors := terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return &screen{file: f, terminal: terminal, colors: colors}
}

// Write passes p through. Errors of writing to a person's screen are theirs to
// see: callers that need them check, the others print on.
func (s *screen) Write(p []byte) (int, error) { return s.file.Write(p) }

// printf prints our own words.
func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s.file, format, args...) }

// say prints a label of ours, in color, and text that may be a stranger's, in
// one line or more.
func (s *screen) say(c color, label, text string) {
	text = strings.TrimRight(text, "\n")
	if s.terminal {
		text = observe.Terminal(text)
	}
	if c != plain && s.colors {
		label = string(c) + label + "\x1b[0m"
	}
	s.printf("%s%s\n", label, text)
}
