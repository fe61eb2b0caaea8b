package lineedit

import "strings"

// search looks for a cell of the history while somebody types what it holds.
type search struct {
	history *History
	words   string
	at      int // index of the cell that was found; -1 = none
}

func (e *Editor) startSearch() {
	if e.opts.History != nil {
		e.search = &search{history: e.opts.History, at: -1}
	}
}

// obeySearch reports whether the key was for the search. Every other one ends
// it with what was found.
func (e *Editor) obeySearch(k key) bool {
	s := e.search
	switch {
	case k.kind == char:
		s.words += string(k.r)
		s.find(len(s.history.cells))
	case k.kind == backspace:
		if r := []rune(s.words); len(r) > 0 {
			s.words = string(r[:len(r)-1])
		}
		s.find(len(s.history.cells))
	case k == key{kind: control, r: 'r'}:
		if s.at > 0 {
			s.find(s.at)
		}
	case k == key{kind: control, r: 'g'} || k == key{kind: control, r: 'c'}:
		e.search = nil
	default:
		e.search = nil
		if s.at >= 0 {
			e.edit(false, func() { e.buf.set(s.history.cells[s.at]) })
		}
		return k.kind == enter // it was found, and is run by the next Enter
	}
	return true
}

// find goes to the newest cell before index that holds the words.
func (s *search) find(before int) {
	for i := before - 1; i >= 0; i-- {
		if s.words != "" && strings.Contains(s.history.cells[i], s.words) {
			s.at = i
			return
		}
	}
	if before == len(s.history.cells) {
		s.at = -1
	}
}

func (s *search) prompt() Prompt {
	return Prompt{First: "(search '" + s.words + "'): ", More: "   "}
}

// shown is the cell that was found, and the place of the words in it.
func (s *search) shown() ([]rune, int) {
	if s.at < 0 {
		return nil, 0
	}
	cell := s.history.cells[s.at]
	return []rune(cell), len([]rune(cell[:strings.Index(cell, s.words)]))
}
