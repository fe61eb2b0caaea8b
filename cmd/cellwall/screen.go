package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/cellwall/cellwall"
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
	failed   error // of the first write that failed
}

func newScreen(f *os.File) *screen {
	terminal := term.IsTerminal(int(f.Fd()))
	colors := terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return &screen{file: f, terminal: terminal, colors: colors}
}

// Write passes p through. Callers print on after an error: the program ends by
// saying that something was lost.
func (s *screen) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return n, err
}

// lost is the error of what could not be written. To a reader that closed its
// end, which has seen what it wanted, nothing is said; the status is the same.
func (s *screen) lost(name string) error {
	if s.failed == nil {
		return nil
	}
	if errors.Is(s.failed, syscall.EPIPE) {
		return status(exitInternal)
	}
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: "write " + name, Err: cause(s.failed), Hint: "make room where it goes, or send it elsewhere",
	}
}

// printf prints our own words.
func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// say prints a label, in color, and text, in one line or more. Both may be a
// stranger's.
func (s *screen) say(c color, label, text string) {
	text = strings.TrimRight(text, "\n")
	if s.terminal {
		label, text = observe.Terminal(label), observe.Terminal(text)
	}
	s.printf("%s%s\n", s.colored(c, label), text)
}

// colored is words of ours in color.
func (s *screen) colored(c color, label string) string {
	if c == plain || !s.colors || label == "" {
		return label
	}
	return string(c) + label + "\x1b[0m"
}
