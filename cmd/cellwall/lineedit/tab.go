package lineedit

import "strings"

// menu is a choice between candidates.
type menu struct {
	before  buffer // without any of them
	matches []string
	labels  []string // as they are listed
	start   int      // of what a match replaces
	end     int
	chosen  int // -1 = none yet
}

// tab completes what stands before the cursor, or indents.
func (e *Editor) tab() {
	b := &e.buf
	if b.blankBefore() {
		e.edit(false, func() {
			width := b.cursor - b.lineStart(b.cursor)
			b.insert(strings.Repeat(" ", tabWidth-width%tabWidth))
		})
		return
	}
	if e.opts.Complete == nil {
		return
	}
	matches, start, end := e.opts.Complete(b.String(), b.cursor)
	if start < 0 || start > end || end > len(b.text) || start > b.cursor {
		return // a sandbox's word
	}
	matches = offered(matches)
	if len(matches) == 0 {
		return
	}
	shared := sharedPrefix(matches)
	grown := len([]rune(shared)) > end-start
	if len(matches) == 1 || grown {
		e.edit(false, func() { b.replace(start, end, shared) })
	}
	if len(matches) == 1 {
		return
	}
	if grown {
		end = start + len([]rune(shared))
	}
	e.menu = &menu{before: buffer{append([]rune(nil), b.text...), b.cursor}, matches: matches, labels: labels(matches), start: start, end: end, chosen: -1}
}

// obeyMenu reports whether the key was for the menu; every other one closes it
// and takes what was chosen.
func (e *Editor) obeyMenu(k key) bool {
	m := e.menu
	switch {
	case k.kind == tab || k.kind == down && m.chosen >= 0:
		m.chosen = (m.chosen + 1) % len(m.matches)
	case k.kind == backTab || k.kind == up && m.chosen >= 0:
		m.chosen = (max(m.chosen, 0) - 1 + len(m.matches)) % len(m.matches)
	case k == key{kind: control, r: 'g'}:
		e.buf, e.menu = m.before, nil
		return true
	case k.kind == enter && m.chosen >= 0:
		e.menu = nil
		return true
	default:
		e.menu = nil
		return false
	}
	e.buf = buffer{append([]rune(nil), m.before.text...), m.before.cursor}
	e.edit(false, func() { e.buf.replace(m.start, m.end, m.matches[m.chosen]) })
	return true
}

// dedent takes the line of the cursor back by one indentation.
func (e *Editor) dedent() {
	b := &e.buf
	start := b.lineStart(b.cursor)
	n := 0
	for n < tabWidth && start+n < len(b.text) && b.text[start+n] == ' ' {
		n++
	}
	at := b.cursor
	b.remove(start, start+n)
	b.cursor = max(start, at-n)
}
