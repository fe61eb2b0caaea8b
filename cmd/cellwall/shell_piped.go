package main

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/cellwall/cellwall"
)

// pipedCells come from a pipe or a file: a cell ends where Python's own prompt
// would run it, or, ahead, where an empty line is not followed by more of it.
type pipedCells struct {
	lines    *bufio.Scanner
	waiting  []string // lines that were looked at ahead
	sure     int      // so many of them stand before the next part of the cell
	ahead    bool
	finished func(text string) (bool, string)
}

// maxLine is how long a line of a file may be, in bytes: as long as a cell.
const maxLine = 4 * cellwall.MaxCodeBytes

func newPiped(in io.Reader, ahead bool, finished func(string) (bool, string)) *pipedCells {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	return &pipedCells{lines: lines, ahead: ahead, finished: finished}
}

func (c *pipedCells) read(ctx context.Context, _ int, _ string) (string, error) {
	var cell strings.Builder
	for ctx.Err() == nil {
		line, ok := c.next()
		if !ok {
			break
		}
		if cell.Len() == 0 && blank(line) {
			continue
		}
		cell.WriteString(line)
		if command(cell.String()) {
			return cell.String(), nil
		}
		if !c.within() {
			if done, _ := c.finished(cell.String()); done && !(blank(line) && c.goesOn(ctx)) {
				return cell.String(), nil
			}
		}
		if cell.Len() > maxLine {
			break
		}
		cell.WriteString("\n")
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case c.lines.Err() != nil:
		return "", usage("read cells", c.lines.Err(), "a line has at most 100,000 characters")
	case cell.Len() == 0:
		return "", io.EOF
	}
	return cell.String(), nil
}

// next is the next line, one that was looked at ahead before others.
func (c *pipedCells) next() (line string, ok bool) {
	if len(c.waiting) > 0 {
		line, c.waiting = c.waiting[0], c.waiting[1:]
		return line, true
	}
	if !c.lines.Scan() {
		return "", false
	}
	return c.lines.Text(), true
}

// maxWaiting is how many empty lines and comments may stand between two parts of
// a cell.
const maxWaiting = 1000

// goesOn reports whether what follows an empty line belongs to the block above
// it, as it does in a file: it is indented, or the block's next branch.
func (c *pipedCells) goesOn(ctx context.Context) bool {
	if !c.ahead {
		return false // who types an empty line waits for an answer
	}
	for at := 0; at < maxWaiting && ctx.Err() == nil; at++ {
		if at == len(c.waiting) {
			if !c.lines.Scan() {
				return false
			}
			c.waiting = append(c.waiting, c.lines.Text())
		}
		line := c.waiting[at]
		if blank(line) || strings.HasPrefix(line, "#") {
			continue
		}
		if indented(line) || branch(line) {
			c.sure = at
			return true
		}
		return false
	}
	return false
}

// within reports whether a line stands between two parts of the cell, so that it
// cannot end there.
func (c *pipedCells) within() bool {
	if c.sure == 0 {
		return false
	}
	c.sure--
	return true
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func indented(line string) bool { return line[0] == ' ' || line[0] == '\t' }

// branch reports whether a line goes on with the statement above it. The words are
// Python's own: no name is written like them.
func branch(line string) bool {
	word := line
	if end := strings.IndexAny(line, " \t:*(#\\"); end >= 0 {
		word = line[:end]
	}
	switch word {
	case "else", "elif", "except", "finally":
		return true
	}
	return false
}
