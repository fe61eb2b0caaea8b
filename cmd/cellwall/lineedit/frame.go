package lineedit

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/cellwall/cellwall/internal/visible"
)

// frame is one picture of the cell: rows that are no wider than the screen.
type frame struct {
	width  int
	height int // 0 = as high as it needs
	colors bool

	rows     []string // with colors
	row, col int      // of the cursor
}

// tabWidth is how wide a tab is painted.
const tabWidth = 4

// shown is how one character is painted, and how wide that is.
func shown(cluster string) (string, int) {
	if cluster == "\t" {
		return strings.Repeat(" ", tabWidth), tabWidth
	}
	for _, r := range cluster {
		if !visible.Shows(r) && !(r == 0x200d && len(cluster) > 3 || r == 0xfe0f) {
			text := escape(cluster)
			return text, len(text)
		}
	}
	return cluster, uniseg.StringWidth(cluster)
}

// columns is how wide a piece of a line is.
func columns(text []rune) (n int) {
	for rest, state := string(text), -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		_, w := shown(cluster)
		n += w
	}
	return n
}

// lay breaks prompt and text into rows. The last column stays free: terminals
// differ in what they do behind it.
func (f *frame) lay(p Prompt, text []rune, cursor int) {
	colorOf := highlight(text, f.colors)
	at := 0
	for n, line := range strings.Split(string(text), "\n") {
		prompt := p.First
		if n > 0 {
			prompt = p.More
		}
		r := rowWriter{frame: f}
		for _, c := range prompt {
			s, w := shown(string(c))
			r.put(s, w, promptColor(f.colors))
		}
		for rest, state := line, -1; rest != ""; {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			s, w := shown(cluster)
			r.fit(w)
			if at == cursor {
				f.row, f.col = len(f.rows), r.col
			}
			r.put(s, w, colorOf(at))
			at += len([]rune(cluster))
		}
		if at == cursor {
			f.row, f.col = len(f.rows), r.col
		}
		r.end()
		at++ // the newline
	}
	f.crop()
}

// crop keeps the rows around the cursor when there are more than the screen has.
func (f *frame) crop() {
	if f.height == 0 || len(f.rows) <= f.height {
		return
	}
	from := max(0, min(f.row-f.height/2, len(f.rows)-f.height))
	f.rows = f.rows[from : from+f.height]
	f.row -= from
}

// list paints candidates below the text, as many as there is room for.
func (f *frame) list(labels []string, chosen int) {
	most := len(f.rows) + max(1, f.height/2)
	if f.height > 0 {
		most = min(most, f.height)
	}
	widest := 0
	for _, l := range labels {
		widest = max(widest, columns([]rune(l)))
	}
	perRow := max(1, (f.width-1)/(widest+2))
	from := 0
	if room := (most - len(f.rows)) * perRow; chosen >= room && room > 0 {
		from = (chosen/perRow - room/perRow + 1) * perRow
	}
	for from < len(labels) && len(f.rows) < most {
		r := rowWriter{frame: f}
		for _, l := range labels[from:min(from+perRow, len(labels))] {
			color := ""
			if from == chosen && f.colors {
				color = inverse
			}
			for rest, state := l, -1; rest != ""; {
				var cluster string
				cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
				if s, w := shown(cluster); r.col+w < f.width {
					r.put(s, w, color)
				}
			}
			r.pad(widest + 2 - columns([]rune(l)))
			from++
		}
		r.end()
	}
}

// rowWriter writes one line into rows.
type rowWriter struct {
	frame *frame
	row   strings.Builder
	col   int
	color string
}

// fit begins a row when w columns do not fit into this one.
func (r *rowWriter) fit(w int) {
	if r.col > 0 && r.col+w >= r.frame.width {
		r.end()
	}
}

func (r *rowWriter) put(s string, w int, color string) {
	r.fit(w)
	if color != r.color {
		r.row.WriteString(reset + color)
		r.color = color
	}
	r.row.WriteString(s)
	r.col += w
}

func (r *rowWriter) pad(n int) {
	if n = min(n, r.frame.width-1-r.col); n > 0 {
		r.put(strings.Repeat(" ", n), n, "")
	}
}

// end closes the row and begins an empty one.
func (r *rowWriter) end() {
	if r.color != "" {
		r.row.WriteString(reset)
	}
	r.frame.rows = append(r.frame.rows, r.row.String())
	r.row.Reset()
	r.col, r.color = 0, ""
}
