package mask

import (
	"bytes"
	"unicode/utf8"
)

// A line longer than this is looked at in parts, each with what follows it: a match
// is found whole when it has at most overlap bytes.
const (
	longestLine = 16 << 10
	overlap     = 1 << 10
)

// lines applies custom patterns to a text that comes in pieces.
type lines struct {
	patterns []pattern
	counts   Counts
	held     []byte // of a line that has not ended
}

// push takes a piece and returns the lines that have ended.
func (l *lines) push(piece []byte) []byte {
	if len(l.patterns) == 0 {
		return piece
	}
	l.held = append(l.held, piece...)
	end := bytes.LastIndexByte(l.held, '\n') + 1
	if end == 0 && len(l.held) < longestLine+overlap {
		return nil
	}
	return l.give(end)
}

// flush returns the rest.
func (l *lines) flush() []byte { return l.give(len(l.held)) }

// give masks what is held up to end, and as many parts of a long line behind it as are
// settled.
func (l *lines) give(end int) []byte {
	text := l.held
	for _, one := range l.patterns {
		one.lines(text[:end], l.counts)
	}
	for rest := text[end:]; len(rest) >= longestLine+overlap; rest = text[end:] {
		done := longestLine
		for _, one := range l.patterns {
			done = max(done, one.part(rest[:longestLine+overlap], longestLine, l.counts))
		}
		end += done
	}
	l.held = bytes.Clone(text[end:])
	return text[:end:end]
}

// lines masks each line of text in place.
func (p pattern) lines(text []byte, counts Counts) (changed bool) {
	before := counts[p.kind]
	for len(text) > 0 {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line = text[:end]
			text = text[end+1:]
		} else {
			text = nil
		}
		for len(line) >= longestLine+overlap {
			line = line[p.part(line[:longestLine+overlap], longestLine, counts):]
		}
		p.part(line, len(line), counts)
	}
	return counts[p.kind] > before
}

// part masks the matches in text that begin before limit, in place, and returns where
// the text goes on: behind limit and the last of them.
func (p pattern) part(text []byte, limit int, counts Counts) (done int) {
	done = limit
	for _, at := range p.expr.FindAllIndex(text, -1) {
		if at[0] >= limit {
			break
		}
		if hide(text[at[0]:at[1]]) {
			counts[p.kind]++
		}
		done = max(done, at[1])
	}
	return done
}

// hide makes stars of text, as many bytes as there were, and reports whether that
// changed anything.
func hide(text []byte) (changed bool) {
	for len(text) > 0 {
		_, n := utf8.DecodeRune(text)
		stars := "*"
		switch n {
		case 2:
			stars = "**"
		case 3:
			stars = "＊"
		case 4:
			stars = "＊*"
		}
		changed = changed || string(text[:n]) != stars
		copy(text, stars)
		text = text[n:]
	}
	return changed
}
