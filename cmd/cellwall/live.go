package main

import (
	"context"
	"io"

	"github.com/cellwall/cellwall"
)

// liveOutput prints a program's streams while it runs. The zero value prints
// nothing.
type liveOutput struct {
	stdout, stderr io.Writer
	escapers       []*escaper
	shared         io.Writer // the terminal, when both streams are shown there and words of ours follow
	within         bool      // a line is begun and not ended
}

// newLiveOutput prints as they are into a pipe or file, and escaped on a
// terminal unless raw.
func (p *program) newLiveOutput(raw bool) *liveOutput {
	l := &liveOutput{}
	open := func(s *screen) io.Writer {
		if !s.terminal || raw {
			return s
		}
		e := &escaper{to: s}
		l.escapers = append(l.escapers, e)
		return e
	}
	l.stdout, l.stderr = open(p.stdout), open(p.stderr)
	if p.stdout.terminal && p.stderr.terminal {
		l.shared = p.stdout
	}
	return l
}

// sink is a cellwall.Sink. A reader that closed its end cancels the run.
func (l *liveOutput) sink(_ context.Context, e cellwall.Event) error {
	to := l.stdout
	switch e.Kind {
	case cellwall.EventStdout:
	case cellwall.EventStderr:
		to = l.stderr
	default:
		return nil
	}
	if to == nil || len(e.Data) == 0 {
		return nil
	}
	l.within = e.Data[len(e.Data)-1] != '\n'
	_, err := to.Write(e.Data)
	return err
}

// flush prints what was held back as the beginning of a character, and ends the
// line on a terminal: what follows there is not the program's.
func (l *liveOutput) flush() {
	for _, e := range l.escapers {
		_ = e.Flush() // a screen that is gone was noticed by sink
	}
	if l.within && l.shared != nil {
		_, _ = io.WriteString(l.shared, "\n")
	}
	l.within = false
}
