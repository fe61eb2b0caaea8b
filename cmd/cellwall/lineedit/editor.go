package lineedit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// ErrInterrupt is returned when a cell was let go of with Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// Options make an Editor. In and Out are required.
type Options struct {
	In      *os.File // a terminal
	Out     *os.File // the same one
	Colors  bool
	History *History // nil = none

	// Complete says how the text may go on at cursor, counted in characters. Each
	// match replaces those from start to end.
	Complete func(text string, cursor int) (matches []string, start, end int)
	// Finished says whether text is a whole cell, and if not how the next line
	// begins. nil = always.
	Finished func(text string) (done bool, indent string)
}

// Editor reads cells. It is not safe for concurrent use.
type Editor struct {
	opts  Options
	keys  *source
	paint painter
	size  func() (width, height int)
	raw   func() (restore func(), err error)

	buf    buffer
	past   undo
	walk   walk
	menu   *menu
	search *search
	cut    string // what C-y puts back
}

// New returns an editor.
func New(o Options) *Editor {
	fd := int(o.In.Fd())
	return &Editor{
		opts: o, keys: newSource(o.In), paint: painter{out: o.Out},
		size: func() (int, int) {
			width, height, err := term.GetSize(int(o.Out.Fd()))
			if err != nil || width < 8 || height < 2 {
				return 80, 24
			}
			return width, height
		},
		raw: func() (func(), error) {
			before, err := term.MakeRaw(fd)
			if err != nil {
				return nil, fmt.Errorf("set up terminal: %w", err)
			}
			return func() { _ = term.Restore(fd, before) }, nil // a terminal that is gone needs none
		},
	}
}

// Prompt is what stands before a cell.
type Prompt struct {
	First string // before the first line
	More  string // before every other
}

// Read lets a person write one cell. It fails with io.EOF at the end of the
// input, ErrInterrupt after Ctrl-C, and the context's error.
func (e *Editor) Read(ctx context.Context, p Prompt) (string, error) {
	restore, err := e.raw()
	if err != nil {
		return "", err
	}
	defer restore()
	e.write(pasteOn)
	defer e.write(pasteOff)
	e.buf, e.past, e.menu, e.search = buffer{}, undo{}, nil, nil
	e.walk = walk{history: e.opts.History}
	e.paint.begin()
	for {
		if len(e.keys.pending) == 0 { // else what comes next is there already
			e.draw(p)
		}
		k, err := e.keys.next(ctx)
		if err != nil {
			e.finish(p)
			return "", err
		}
		done, err := e.obey(k)
		if err != nil || done {
			e.finish(p)
			if err == nil {
				e.opts.History.add(e.buf.String())
			}
			return e.buf.String(), err
		}
	}
}

const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

func (e *Editor) write(s string) { _, _ = io.WriteString(e.opts.Out, s) } // a terminal that is gone is noticed when it is read

// draw paints what stands now.
func (e *Editor) draw(p Prompt) {
	width, height := e.size()
	f := frame{width: width, height: height, colors: e.opts.Colors}
	text, cursor := e.buf.text, e.buf.cursor
	if e.search != nil {
		p = e.search.prompt()
		text, cursor = e.search.shown()
	}
	f.lay(p, text, cursor)
	if e.menu != nil {
		f.list(e.menu.labels, e.menu.chosen)
	}
	e.paint.show(f)
}

// finish paints the whole cell and leaves the cursor below it.
func (e *Editor) finish(p Prompt) {
	width, _ := e.size()
	f := frame{width: width, colors: e.opts.Colors}
	f.lay(p, e.buf.text, len(e.buf.text))
	e.paint.show(f)
	e.paint.end()
}
