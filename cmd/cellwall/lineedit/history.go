package lineedit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxHistory is how many cells a history has.
const maxHistory = 1000

// maxEntry is how long one may be, in bytes.
const maxEntry = 64 << 10

// History is what was written before, oldest first, kept in a file that only
// its owner reads: one JSON text a line. Several shells add to the same file.
type History struct {
	path  string
	cells []string
}

// OpenHistory reads a history. A file that is not there is an empty one; lines
// that are damaged are passed over.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 2*maxEntry)
	for lines.Scan() {
		var cell string
		if json.Unmarshal(lines.Bytes(), &cell) == nil {
			h.remember(cell)
		}
	}
	return h, nil // what a scanner gives up on is damaged too
}

func (h *History) remember(cell string) {
	if n := len(h.cells); n > 0 && h.cells[n-1] == cell {
		return
	}
	h.cells = append(h.cells, cell)
	if len(h.cells) > maxHistory {
		h.cells = h.cells[1:]
	}
}

// add keeps a cell. One that begins with a space is nobody's history, as in
// other shells; a file that cannot be written loses only its own lines.
func (h *History) add(cell string) {
	cell = strings.TrimRight(cell, " \t\n")
	if h == nil || cell == "" || len(cell) > maxEntry || strings.HasPrefix(cell, " ") {
		return
	}
	if n := len(h.cells); n > 0 && h.cells[n-1] == cell {
		return
	}
	h.remember(cell)
	line, err := json.Marshal(cell)
	if err != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n'))
}

// walk is a way through a history, from the cell that is being written.
type walk struct {
	history *History
	back    int    // how far
	draft   string // what was being written
}

// step goes to an older (-1) or newer (1) cell.
func (w *walk) step(by int, now string) (string, bool) {
	if w.history == nil {
		return "", false
	}
	to := w.back - by
	if to < 0 || to > len(w.history.cells) {
		return "", false
	}
	if w.back == 0 {
		w.draft = now
	}
	w.back = to
	if to == 0 {
		return w.draft, true
	}
	return w.history.cells[len(w.history.cells)-to], true
}
