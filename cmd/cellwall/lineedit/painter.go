package lineedit

import (
	"fmt"
	"io"
	"strings"
)

// painter repaints a frame in the place of the one before.
type painter struct {
	out  io.Writer
	rows int // of the last frame
	row  int // of the cursor in it
}

// begin starts below what the terminal shows.
func (p *painter) begin() { p.rows, p.row = 0, 0 }

// show paints f over the last frame, in one write.
func (p *painter) show(f frame) {
	var b strings.Builder
	b.WriteString(hideCursor + "\r")
	if p.row > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.row)
	}
	b.WriteString(clearBelow)
	b.WriteString(strings.Join(f.rows, "\r\n"))
	if up := len(f.rows) - 1 - f.row; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	b.WriteString("\r")
	if f.col > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", f.col)
	}
	b.WriteString(showCursor)
	p.rows, p.row = len(f.rows), f.row
	_, _ = io.WriteString(p.out, b.String()) // a terminal that is gone is noticed when it is read
}

// end leaves the cursor in an empty line below the frame.
func (p *painter) end() {
	if down := p.rows - 1 - p.row; down > 0 {
		_, _ = fmt.Fprintf(p.out, "\x1b[%dB", down)
	}
	_, _ = io.WriteString(p.out, "\r\n")
	p.begin()
}

// clear empties the screen; the next frame begins at its top.
func (p *painter) clear() {
	_, _ = io.WriteString(p.out, clearScreen)
	p.begin()
}

const (
	clearBelow  = "\x1b[J"
	clearScreen = "\x1b[H\x1b[2J"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	reset       = "\x1b[0m"
	inverse     = "\x1b[7m"
)
