package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/figure"
	"github.com/cellwall/cellwall/cmd/cellwall/notebook"
)

// shellVerb is "cellwall shell".
type shellVerb struct {
	sessionFlags

	Out     string `placeholder:"DIR" help:"Copy artifacts and figures there."`
	Figures string `enum:"auto,kitty,iterm,sixel,file" default:"auto" help:"Where figures are shown: auto asks the terminal, file saves them."`
	Raw     bool   `help:"Do not escape control characters on a terminal."`
}

// Help is the part of the help that shows how it is used.
func (*shellVerb) Help() string {
	return `Examples:

  cellwall shell --data sales.csv
  cellwall shell --memory 2GiB --timeout 2m
  cellwall shell < cells.py

A cell that crashes, runs out of memory or of time costs that cell only: what
was there before it is still there. Enter runs a cell that is whole, Alt-Enter
begins a line, Tab completes, Ctrl-C interrupts the cell that runs, Ctrl-D
leaves. Commands begin with a colon; :help lists them.`
}

// Run reads cells and runs them until their end.
func (v *shellVerb) Run(ctx context.Context, p *program, c *config) (err error) {
	if err := checkOut(v.Out); err != nil {
		return err
	}
	req, undo, err := v.request("shell")
	if err != nil {
		return err
	}
	defer undo()
	o, err := p.openSession(ctx, c, req, v.budget(), v.settings(), !p.stderr.terminal)
	if err != nil {
		return err
	}
	defer o.close(&err)
	s := &shell{
		p: p, session: o, live: p.newLiveOutput(v.Raw), raw: v.Raw, language: v.Lang,
		figures: gallery{p: p, house: o.house, out: v.Out, protocol: figure.Protocol(v.Figures)},
		seen:    map[int][]notebook.Output{}, saved: map[string]bool{},
	}
	s.forks = []*fork{{name: origin, session: o, seen: s.seen}}
	s.front.Store(o)
	if err := s.attach(ctx, c, v.Figures); err != nil {
		return err
	}
	s.greet(req)
	return s.loop(ctx)
}

// shell is a session with a person, or a file, in front of it.
type shell struct {
	p        *program
	session  *openedSession
	live     *liveOutput
	raw      bool
	language string // of hints
	figures  gallery
	lines    reader
	seen     map[int][]notebook.Output     // what each cell showed, by its number
	saved    map[string]bool               // files that hold this session
	forks    []*fork                       // this one and those beside it
	exit     int                           // status of the first cell or command that failed
	front    atomic.Pointer[openedSession] // the session again, for who interrupts it
}

// reader reads the next cell. It fails with io.EOF at the end.
type reader interface {
	read(ctx context.Context, number int, branch string) (string, error)
}

// attach finds out who is in front of the session.
func (s *shell) attach(ctx context.Context, c *config, wanted string) error {
	in, ok := s.p.stdin.(interface{ Fd() uintptr })
	person := ok && term.IsTerminal(int(in.Fd()))
	if !person || !s.p.stdout.terminal || os.Getenv("TERM") == "dumb" {
		s.lines = newPiped(s.p.stdin, !person, s.finished)
		s.figures.protocol = figure.None
		return nil
	}
	t, err := newTyped(s, c)
	if err != nil {
		return err
	}
	s.lines = t
	if wanted == "auto" {
		s.figures.protocol, err = t.detect(ctx)
	}
	return err
}

// loop runs cells and commands.
func (s *shell) loop(ctx context.Context) error {
	if s.typed() { // Ctrl-C ends what is piped in, and only the cell of a person
		defer s.p.interrupts.take(s.interrupt)()
	}
	for {
		info := s.session.Info()
		text, err := s.lines.read(ctx, info.Cells+1, s.label(info))
		switch {
		case errors.Is(err, errLetGo):
			continue
		case errors.Is(err, io.EOF):
			return s.end()
		case err != nil:
			return err
		}
		quit, err := s.obey(ctx, text)
		if err != nil {
			if ctx.Err() != nil || s.p.stdout.failed != nil {
				return err
			}
			s.p.explain(err)
			s.failed(exitOf(err))
			if errors.Is(err, cellwall.ErrSessionOver) && !s.typed() {
				return status(exitNotOK)
			}
		}
		if quit {
			return s.end()
		}
	}
}

// failed notes the status of the first thing that did not go well.
func (s *shell) failed(with int) {
	if s.exit == exitOK {
		s.exit = with
	}
}

// end is the status of the session: a person has seen how each cell went.
func (s *shell) end() error {
	if s.typed() || s.exit == exitOK {
		return nil
	}
	return status(s.exit)
}

// typed reports whether a person is in front of the session.
func (s *shell) typed() bool {
	_, ok := s.lines.(*typedCells)
	return ok
}

// errLetGo is returned by a reader when the cell was let go of.
var errLetGo = errors.New("let go")
