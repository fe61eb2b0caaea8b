package lineedit

import "slices"

// undo keeps what a cell was before its edits.
type undo struct {
	before []buffer
	typing bool // the last edit was a character: the next one belongs to it
}

// maxUndo is how many edits can be taken back.
const maxUndo = 500

// keep notes what stands before an edit. A word that is typed is one edit.
func (u *undo) keep(b buffer, typing bool) {
	if typing && u.typing {
		return
	}
	u.typing = typing
	u.before = append(u.before, buffer{slices.Clone(b.text), b.cursor})
	if len(u.before) > maxUndo {
		u.before = u.before[1:]
	}
}

// moved ends a word.
func (u *undo) moved() { u.typing = false }

// back returns what stood before the last edit.
func (u *undo) back(now buffer) buffer {
	u.typing = false
	if len(u.before) == 0 {
		return now
	}
	last := u.before[len(u.before)-1]
	u.before = u.before[:len(u.before)-1]
	return last
}
