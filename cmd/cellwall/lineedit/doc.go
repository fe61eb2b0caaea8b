// Package lineedit reads a cell of code from a terminal: several lines that
// are edited as one text, with history, completion and search.
//
// # Keys
//
//	Enter              ends the cell when it is whole, else begins a line; in the
//	                   middle of a cell it begins a line
//	Alt-Enter          begins a line
//	arrows, C-p C-n    move; above the first and below the last line through history
//	Home End C-a C-e   ends of the line; Alt-< Alt-> ends of the cell
//	Alt-b Alt-f        words; C-Left C-Right too
//	C-w Alt-d C-k C-u  cut; C-y puts back what was cut
//	C-_                takes back an edit
//	Tab Shift-Tab      complete, choose; at the beginning of a line they indent
//	C-r                searches history, C-r again the next older, C-g gives up
//	C-c                lets go of the cell, C-d leaves when there is none
//	C-l                clears the screen
//
// Text that is pasted (bracketed paste) is taken as it is: nothing in it is a
// key.
//
// # The screen
//
// Nothing is asked of the terminal while somebody types, and no line is left to
// it to wrap: rows are broken here, by the width of characters, so that Chinese
// and emoji are repainted in place. Only the rows around the cursor are painted
// when a cell is higher than the screen. Characters that do not show, or that a
// terminal obeys, are painted as escapes. What a completion offers comes from a
// sandbox: every candidate is painted the same way, and only those that consist
// of characters that show are offered.
//
// # Input
//
// The terminal is in raw mode while a cell is edited and as it was before in
// between, so that Ctrl-C is a signal while a cell runs. It is read only when a
// key is wanted; what was typed ahead stays.
package lineedit
