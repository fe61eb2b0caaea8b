package lineedit

import (
	"io"
	"strings"
)

// obey does what a key says. done: the cell is whole.
func (e *Editor) obey(k key) (done bool, err error) {
	if e.search != nil {
		if e.obeySearch(k) {
			return false, nil
		}
	}
	if e.menu != nil {
		if e.obeyMenu(k) {
			return false, nil
		}
	}
	switch k.kind {
	case char:
		e.edit(true, func() { e.buf.insert(string(k.r)) })
	case paste:
		e.edit(false, func() { e.buf.insert(clean(k.paste)) })
	case enter:
		return e.enter(), nil
	case altEnter:
		e.newline(e.buf.indent())
	case tab:
		e.tab()
	case backTab:
		e.edit(false, e.dedent)
	case control:
		return false, e.control(k.r)
	case alt:
		e.alt(k.r)
	default:
		if e.erase(k.kind) {
			return false, nil
		}
		e.move(k.kind)
	}
	return false, nil
}

// edit changes the cell so that it can be taken back.
func (e *Editor) edit(typing bool, change func()) {
	e.past.keep(e.buf, typing)
	change()
}

// enter ends the cell when it is whole and the cursor stands in its last line.
func (e *Editor) enter() bool {
	if strings.TrimSpace(string(e.buf.text[e.buf.cursor:])) != "" && strings.Contains(e.buf.String(), "\n") {
		e.newline(e.buf.indent())
		return false
	}
	if e.opts.Finished == nil || strings.TrimSpace(e.buf.String()) == "" {
		return true
	}
	text := e.buf.String()
	if e.buf.blankBefore() { // the indentation that was put there is no code
		text = strings.TrimRight(text, " \t")
	}
	done, indent := e.opts.Finished(text)
	if !done {
		e.buf.cursor = len(e.buf.text)
		e.newline(indent)
	}
	return done
}

func (e *Editor) newline(indent string) {
	e.edit(false, func() { e.buf.insert("\n" + clean(indent)) })
}

// control obeys Ctrl and a letter.
func (e *Editor) control(r rune) error {
	switch r {
	case 'c':
		return ErrInterrupt
	case 'd':
		if len(e.buf.text) == 0 {
			return io.EOF
		}
		e.erase(del)
	case 'a', 'b', 'e', 'f', 'n', 'p':
		e.move(map[rune]kind{'a': home, 'b': left, 'e': end, 'f': right, 'n': down, 'p': up}[r])
	case 'h':
		e.erase(backspace)
	case 'k':
		end := e.buf.lineEnd(e.buf.cursor)
		if end == e.buf.cursor {
			end = e.buf.after(end)
		}
		e.cutTo(end)
	case 'u':
		e.cutTo(e.buf.lineStart(e.buf.cursor))
	case 'w':
		e.cutTo(e.buf.wordLeft(e.buf.cursor))
	case 'y':
		e.edit(false, func() { e.buf.insert(e.cut) })
	case '_':
		e.buf = e.past.back(e.buf)
	case 'l':
		e.paint.clear()
	case 'r':
		e.startSearch()
	}
	return nil
}

// alt obeys Alt and a character.
func (e *Editor) alt(r rune) {
	switch r {
	case 'b':
		e.move(wordLeft)
	case 'f':
		e.move(wordRight)
	case 'd':
		e.cutTo(e.buf.wordRight(e.buf.cursor))
	case '<':
		e.buf.cursor = 0
		e.past.moved()
	case '>':
		e.buf.cursor = len(e.buf.text)
		e.past.moved()
	}
}

// cutTo takes out what stands between the cursor and a place; C-y puts it back.
func (e *Editor) cutTo(place int) {
	if place != e.buf.cursor {
		e.edit(false, func() { e.cut = e.buf.remove(e.buf.cursor, place) })
	}
}

// erase obeys the keys that take characters out.
func (e *Editor) erase(k kind) bool {
	b := &e.buf
	switch k {
	case backspace:
		e.edit(false, func() {
			from := b.before(b.cursor)
			if width := b.cursor - b.lineStart(b.cursor); width > 0 && b.blankBefore() {
				from = b.cursor - 1 - (width-1)%tabWidth // to the indentation before
			}
			b.remove(from, b.cursor)
		})
	case altBackspace:
		e.cutTo(b.wordLeft(b.cursor))
	case del:
		e.edit(false, func() { b.remove(b.cursor, b.after(b.cursor)) })
	default:
		return false
	}
	return true
}

// move obeys the keys that move.
func (e *Editor) move(k kind) {
	e.past.moved()
	b := &e.buf
	switch k {
	case left:
		b.cursor = b.before(b.cursor)
	case right:
		b.cursor = b.after(b.cursor)
	case home:
		b.cursor = b.lineStart(b.cursor)
	case end:
		b.cursor = b.lineEnd(b.cursor)
	case wordLeft:
		b.cursor = b.wordLeft(b.cursor)
	case wordRight:
		b.cursor = b.wordRight(b.cursor)
	case up:
		if !b.vertical(-1) {
			e.recall(-1)
		}
	case down:
		if !b.vertical(1) {
			e.recall(1)
		}
	case pageUp:
		e.recall(-1)
	case pageDown:
		e.recall(1)
	}
}

// recall puts an older (-1) or newer (1) cell in the place of this one.
func (e *Editor) recall(by int) {
	if text, ok := e.walk.step(by, e.buf.String()); ok {
		e.edit(false, func() { e.buf.set(text) })
		if by > 0 {
			e.buf.cursor = e.buf.lineEnd(0) // so that the next one is a key away
		}
	}
}
