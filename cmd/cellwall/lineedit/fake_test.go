package lineedit

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// board is a small terminal: what it was told, as rows of text.
type board struct {
	t        *testing.T
	rows     [][]string // cells; "" behind a wide character
	row, col int
	width    int
}

func newBoard(t *testing.T, width int) *board { return &board{t: t, width: width} }

var sequence = regexp.MustCompile(`^\x1b\[([?0-9;]*)([A-Za-z])`)

// Write obeys what the painter sends, and fails at anything else.
func (b *board) Write(p []byte) (int, error) {
	for text := string(p); text != ""; {
		if m := sequence.FindStringSubmatch(text); m != nil {
			b.obey(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		switch text[0] {
		case '\r':
			b.col = 0
			text = text[1:]
			continue
		case '\n':
			b.row++
			text = text[1:]
			continue
		case 0x1b:
			b.t.Errorf("an escape that no painter sends: %.20q", text)
		}
		cluster, rest, w, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		b.put(cluster, w)
		text = rest
	}
	return len(p), nil
}

func (b *board) obey(args, verb string) {
	n, _ := strconv.Atoi(args)
	switch verb {
	case "A":
		b.row = max(0, b.row-n)
	case "B":
		b.row += n
	case "C":
		b.col += n
	case "J":
		for len(b.rows) <= b.row {
			b.rows = append(b.rows, nil)
		}
		b.rows = b.rows[:b.row+1]
		if b.col < len(b.rows[b.row]) {
			b.rows[b.row] = b.rows[b.row][:b.col]
		}
	case "m", "h", "l":
	default:
		b.t.Errorf("a sequence that no painter sends: %q %q", args, verb)
	}
}

func (b *board) put(cluster string, w int) {
	if b.col+w > b.width {
		b.t.Errorf("%q at column %d would wrap a screen of %d", cluster, b.col, b.width)
	}
	for len(b.rows) <= b.row {
		b.rows = append(b.rows, nil)
	}
	row := b.rows[b.row]
	for len(row) < b.col+w {
		row = append(row, " ")
	}
	if w == 0 {
		return
	}
	row[b.col] = cluster
	for i := 1; i < w; i++ {
		row[b.col+i] = ""
	}
	b.rows[b.row] = row
	b.col += w
}

func (b *board) String() string {
	var lines []string
	for _, r := range b.rows {
		lines = append(lines, strings.TrimRight(strings.Join(r, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// typed is an editor over a board whose keys are already typed.
func typed(t *testing.T, o Options, width, height int, keys string) (*Editor, *board) {
	t.Helper()
	b := newBoard(t, width)
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	o.Out = out
	return &Editor{
		opts: o, keys: newSource(strings.NewReader(keys)), paint: painter{out: b},
		size: func() (int, int) { return width, height },
		raw:  func() (func(), error) { return func() {}, nil },
	}, b
}

// read types keys into an editor and returns what it read.
func read(t *testing.T, o Options, keys string) (string, error) {
	t.Helper()
	e, _ := typed(t, o, 80, 24, keys)
	return e.Read(context.Background(), Prompt{First: "> ", More: ". "})
}

// blocks ends a cell as Python's own prompt does: one line, or a block behind an
// empty line.
func blocks(text string) (bool, string) {
	lines := strings.Split(text, "\n")
	last := lines[len(lines)-1]
	switch {
	case strings.HasSuffix(last, ":"):
		return false, last[:len(last)-len(strings.TrimLeft(last, " "))] + "    "
	case len(lines) > 1 && last != "":
		return false, last[:len(last)-len(strings.TrimLeft(last, " "))]
	}
	return true, ""
}

// slowly hands its text out a byte at a time.
type slowly struct{ rest string }

func (s *slowly) Read(p []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	p[0] = s.rest[0]
	s.rest = s.rest[1:]
	return 1, nil
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n", i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
