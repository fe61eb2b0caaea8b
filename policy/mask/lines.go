package mask

import "bytes"

// lines applies the caller's own patterns to a text that comes in pieces.
type lines struct {
	*own

	held  []byte // of a line that has not ended
	reach []int  // of the patterns, into held
}

// push takes a piece and returns what of it is settled: the lines that have ended, and
// parts of a long one.
func (l *lines) push(piece []byte) []byte {
	if len(l.patterns) == 0 {
		return piece
	}
	ended := bytes.LastIndexByte(piece, '\n') + 1 // what is held has no end
	if ended > 0 {
		ended += len(l.held)
	}
	l.held = append(l.held, piece...)
	if ended == 0 && len(l.held) <= longestLine+overlap {
		return nil
	}
	return l.give(ended)
}

// flush returns the rest.
func (l *lines) flush() []byte {
	text := l.held
	if len(l.patterns) > 0 {
		text = l.give(len(text))
	}
	l.held = nil
	return text
}

// give masks what is held up to ended, where a line or everything ends, and as many parts
// of a long line behind it as are settled.
func (l *lines) give(ended int) []byte {
	if l.reach == nil {
		l.reach = make([]int, len(l.patterns))
	}
	text, end := l.held, 0
	for end < ended {
		line, _, _ := bytes.Cut(text[end:ended], []byte{'\n'})
		l.rest(line[l.parts(line, l.reach):], l.reach)
		end = min(end+len(line)+1, ended)
	}
	end += l.parts(text[end:], l.reach)
	l.held = bytes.Clone(text[end:])
	return text[:end:end]
}
