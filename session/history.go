package session

import (
	"slices"
	"time"

	"github.com/cellwall/cellwall"
)

// Entry is one cell of a history.
type Entry struct {
	Number int // n of In[n]
	At     time.Time
	Branch string // that was live
	Code   string
	// Result is nil when the cell has no answer, see the error it ended with.
	// Without Outputs it has neither streams nor results any more.
	Result  *cellwall.Result
	Outputs bool
	Live    bool // the live state grew from it

	parent int   // number of the cell before it in its line, 0 = none
	bytes  int64 // of its outputs
}

// history is every cell of a session, oldest first, as a tree: what runs after
// a rollback grows from the cell that was gone back to.
type history struct {
	most    int   // entries
	room    int64 // bytes of all outputs
	entries []Entry
	bytes   int64
	tip     int    // number of the latest cell of the live line, 0 = none
	first   string // execution that made the first state
	root    int    // number of the latest cell before that, 0 = none: it came from another session
}

// add appends a cell. One that was killed left nothing, and took those with it
// that ran after the checkpoint.
func (h *history) add(e Entry) {
	e.parent = h.tip
	e.Outputs = true
	if r := e.Result; r != nil {
		own := *r // the caller may go on writing into its own
		own.Artifacts = slices.Clone(r.Artifacts)
		e.Result, e.bytes = &own, outputBytes(r)
	}
	h.tip = e.Number
	h.entries = append(h.entries, e)
	h.bytes += e.bytes
	if e.Result != nil && e.Result.Restored != nil {
		for range max(1, e.Result.Restored.Cells) {
			h.tip = h.before(h.tip)
		}
	}
	h.bound()
}

// inherit takes the cells that led to the state of another session, which this one
// begins with.
func (h *history) inherit(line []Entry) {
	for i := range line {
		e := &line[i]
		if e.Result != nil {
			own := *e.Result
			e.Result = &own
		}
		if e.Live, e.parent = false, 0; i > 0 {
			e.parent = line[i-1].Number
		}
		e.Branch = Main
		h.bytes += e.bytes
		h.tip, h.root = e.Number, e.Number
	}
	h.entries = line
}

// before returns the cell before number in its line.
func (h *history) before(number int) int {
	if at := h.at(number); at >= 0 {
		return h.entries[at].parent
	}
	return 0
}

// at returns the index of a cell, -1 when the history does not hold it.
func (h *history) at(number int) int {
	at, ok := slices.BinarySearchFunc(h.entries, number, func(e Entry, n int) int { return e.Number - n })
	if !ok {
		return -1
	}
	return at
}

// back makes the state after an execution the live one.
func (h *history) back(execution string) {
	if execution == h.first {
		h.tip = h.root
		return
	}
	for _, e := range h.entries {
		if e.Result != nil && e.Result.ID == execution {
			h.tip = e.Number
		}
	}
}

// since counts the cells of the live line behind the one of an execution.
func (h *history) since(execution string) (n int) {
	for at := h.at(h.tip); at >= 0; at = h.at(h.entries[at].parent) {
		if r := h.entries[at].Result; r != nil && r.ID == execution || h.entries[at].Number <= h.root {
			break
		}
		n++
	}
	return n
}

// bound lets the oldest go.
func (h *history) bound() {
	if over := len(h.entries) - h.most; over > 0 {
		for _, e := range h.entries[:over] {
			h.bytes -= e.bytes
		}
		h.entries = slices.Delete(h.entries, 0, over)
	}
	for i := 0; h.bytes > h.room && i < len(h.entries); i++ {
		h.entries[i].strip(&h.bytes)
	}
}

// strip lets the outputs of a cell go.
func (e *Entry) strip(bytes *int64) {
	if e.bytes == 0 {
		return
	}
	r := e.Result
	r.Results, r.Stdout.Text, r.Stderr.Text = []cellwall.Rich{}, "", ""
	*bytes -= e.bytes
	e.bytes, e.Outputs = 0, false
}

// list returns all entries; Live says which the live state grew from.
func (h *history) list() []Entry {
	all := slices.Clone(h.entries)
	for at := h.at(h.tip); at >= 0; at = h.at(all[at].parent) {
		all[at].Live = true
	}
	return all
}

// outputBytes is what a result weighs beside its code.
func outputBytes(r *cellwall.Result) int64 {
	n := len(r.Stdout.Text) + len(r.Stderr.Text)
	for _, rich := range r.Results {
		for mime, content := range rich.Data {
			n += len(mime) + len(content)
		}
	}
	return int64(n)
}

// History returns the cells that ran, oldest first.
func (s *Session) History() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.list()
}
