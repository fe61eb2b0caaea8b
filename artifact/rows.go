package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// counter counts the rows of a table while its bytes pass, without keeping
// them.
type counter interface {
	add(p []byte)
	rows(end bool) int64 // so far; end: there is no more
}

// counterOf chooses the counter for a type; what the content looks like counts
// as well, so that a table does not pass as a text by its name.
func counterOf(media, content string) func() counter {
	for _, m := range []string{content, media} {
		switch m {
		case mediaCSV, mediaTSV:
			return func() counter { return &lineCounter{quotes: true, header: 1} }
		case mediaJSONLines:
			return func() counter { return &lineCounter{} }
		case mediaJSON, "application/geo+json":
			return func() counter { return &jsonCounter{} }
		case mediaHTML:
			return func() counter { return &tagCounter{} }
		}
	}
	return nil
}

// counted passes content through and refuses it when it turns out to be a
// table of more than limit rows (a negative limit refuses none), or a text that
// goes on as something else.
func (k kind) counted(content io.Reader, limit int) io.Reader {
	if k.plain {
		content = &textReader{content}
	}
	if k.rows == nil || limit < 0 {
		return content
	}
	return &countedReader{r: content, c: k.rows(), limit: int64(limit)}
}

type countedReader struct {
	r     io.Reader
	c     counter
	limit int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.c.add(p[:n])
	if (err == nil || errors.Is(err, io.EOF)) && c.c.rows(err != nil) > c.limit {
		return n, refusal(fmt.Sprintf("table has more than %d rows; keep a summary instead", c.limit))
	}
	return n, err
}

// textReader refuses what begins as a text and then holds binary data or holes.
type textReader struct{ r io.Reader }

func (t *textReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if bytes.IndexByte(p[:n], 0) >= 0 {
		return 0, refusal("begins as a text but holds binary data")
	}
	return n, err
}

// lineCounter counts lines that are not empty. With quotes, a line break
// inside a quoted field does not end a row; when the quotes never close, every
// line counts, so that one stray quote does not hide a table.
type lineCounter struct {
	quotes bool
	header int64 // lines that are no rows

	lines, quotedLines int64 // ended outside and inside quotes
	inQuotes, hasText  bool
}

func (l *lineCounter) add(p []byte) {
	for _, c := range p {
		switch {
		case c == '"' && l.quotes:
			l.inQuotes = !l.inQuotes
			l.hasText = true
		case c == '\n' || c == '\r':
			l.end()
		default:
			l.hasText = true
		}
	}
}

func (l *lineCounter) end() {
	if !l.hasText {
		return
	}
	if l.inQuotes {
		l.quotedLines++
	} else {
		l.lines++
	}
	l.hasText = false
}

func (l *lineCounter) rows(end bool) int64 {
	n := l.lines
	if end && l.inQuotes {
		n += l.quotedLines
	}
	if l.hasText {
		n++
	}
	return n - l.header
}

// jsonCounter counts the elements of the longest array or object at the two
// outer levels: records, columns by row, and "split" tables all show there.
type jsonCounter struct {
	depth             int
	inString, escaped bool
	counts            [3]int64 // elements so far at depth 1 and 2
	longest           int64
}

func (j *jsonCounter) add(p []byte) {
	for _, c := range p {
		switch {
		case j.escaped:
			j.escaped = false
		case j.inString:
			j.escaped = c == '\\'
			j.inString = c != '"'
		case c == '"':
			j.inString = true
		case c == '{' || c == '[':
			j.depth++
			if j.depth < len(j.counts) {
				j.counts[j.depth] = 1
			}
		case c == '}' || c == ']':
			j.depth--
		case c == ',' && j.depth > 0 && j.depth < len(j.counts):
			j.counts[j.depth]++
			j.longest = max(j.longest, j.counts[j.depth])
		}
	}
}

func (j *jsonCounter) rows(bool) int64 { return j.longest }

// tagCounter counts the rows of tables in HTML: "<tr", in any case.
type tagCounter struct {
	matched int
	n       int64
}

func (t *tagCounter) add(p []byte) {
	const tag = "<tr"
	for _, c := range p {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case c == tag[t.matched]:
			t.matched++
		case c == '<':
			t.matched = 1
		default:
			t.matched = 0
		}
		if t.matched == len(tag) {
			t.n++
			t.matched = 0
		}
	}
}

func (t *tagCounter) rows(bool) int64 { return t.n - 1 } // one of them is the header
