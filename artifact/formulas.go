package artifact

import (
	"bytes"
	"io"

	"github.com/cellwall/cellwall"
)

// longestCell is how much of a cell is looked at.
const longestCell = 256

// formulas passes a table through and looks at the beginning of its cells.
type formulas struct {
	r          io.Reader
	delimiters string
	units      units

	found    bool
	inside   bool // a cell has begun
	quoted   bool
	skipping bool   // the cell cannot be one
	cell     []byte // its beginning, without the quote
}

// watched returns content with a look at its cells where kind is a table of
// text, else content and nil.
func (k kind) watched(content io.Reader) (io.Reader, *formulas) {
	var f *formulas
	switch {
	case k.media == mediaTSV || k.content == mediaTSV:
		f = &formulas{r: content, delimiters: "\t"}
	case k.media == mediaCSV || k.content == mediaCSV:
		f = &formulas{r: content, delimiters: ",;"}
	default:
		return content, nil
	}
	return f, f
}

// flags returns what an artifact with this content is marked with.
func (f *formulas) flags() []string {
	if f == nil {
		return nil
	}
	if f.end(); f.found {
		return []string{cellwall.FlagFormulas}
	}
	return nil
}

func (f *formulas) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	for _, c := range p[:n] {
		if f.found {
			break
		}
		f.units.next(c, f.add)
	}
	return n, err
}

func (f *formulas) add(c byte) {
	switch {
	case f.quoted && c == '"':
		f.quoted = false // two of them are one: the cell is known by then
	case f.quoted:
		f.keep(c)
	case c == '"' && !f.inside:
		f.quoted, f.inside = true, true
	case c == '\n' || c == '\r' || bytes.IndexByte([]byte(f.delimiters), c) >= 0:
		f.end()
	default:
		f.keep(c)
	}
}

func (f *formulas) keep(c byte) {
	f.inside = true
	if len(f.cell) == 0 {
		f.skipping = bytes.IndexByte([]byte("=+-@\t"), c) < 0
	}
	if len(f.cell) < longestCell && (!f.skipping || len(f.cell) == 0) {
		f.cell = append(f.cell, c)
	}
}

func (f *formulas) end() {
	f.found = f.found || formula(f.cell)
	f.cell, f.inside, f.quoted, f.skipping = f.cell[:0], false, false, false
}

// formula reports whether a spreadsheet may take cell for one. After a sign it
// has to name or call something: negative numbers, dashes and telephone numbers
// are none.
func formula(cell []byte) bool {
	if len(cell) < 2 {
		return false
	}
	rest := bytes.TrimLeft(cell[1:], "+-")
	switch cell[0] {
	case '=', '@', '\t':
		return true
	case '+', '-':
		switch string(bytes.ToLower(rest)) {
		case "", "inf", "infinity", "nan":
			return false
		}
		return len(rest) > 0 && (letter(rest[0]) || rest[0] == '=' || rest[0] == '@') || bytes.ContainsAny(rest, "|!") || calls(rest)
	}
	return false
}

// calls reports whether a name stands before a parenthesis.
func calls(s []byte) bool {
	for i := bytes.IndexByte(s, '('); i > 0; {
		if letter(s[i-1]) {
			return true
		}
		next := bytes.IndexByte(s[i+1:], '(')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
