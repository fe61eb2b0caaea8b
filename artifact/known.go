package artifact

import (
	"crypto/sha256"
	"io/fs"
	"time"
)

// known is how a name was met last.
type known struct {
	inode    uint64
	size     int64
	modified time.Time
	mode     fs.FileMode

	fresh bool   // written so lately that its time may not tell the next change
	given bool   // it counts as known, and nobody has read it yet
	sum   string // of the content that was taken, "" = none
	why   string // it was refused, "" = it was not
}

// index is what is known of a tree: a few dozen bytes for each of at most
// maxEntries names, however long these are.
type index map[[sha256.Size]byte]known

// walk compares a tree with what was known of it.
type walk struct {
	past, met index
	began     time.Time
	settle    bool // everything counts as known
}

func newWalk(past index, settle bool) *walk {
	return &walk{past: past, met: index{}, began: time.Now(), settle: settle}
}

// tick is longer than a step of the kernel's clock for files: two writes within
// one step have the same time.
const tick = 50 * time.Millisecond

// knows notes an entry and reports whether it is as it was.
func (w *walk) knows(name string, e fs.DirEntry) bool {
	if w == nil {
		return false
	}
	info, err := e.Info()
	if err != nil {
		return false // it went away, as whoever opens it will see
	}
	key := sha256.Sum256([]byte(name))
	now := known{inode: inode(info), size: info.Size(), modified: info.ModTime(), mode: info.Mode()}
	old, ok := w.past[key]
	same := ok && old.inode == now.inode && old.size == now.size && old.mode == now.mode && old.modified.Equal(now.modified)
	if same {
		now.sum, now.why = old.sum, old.why
	}
	now.fresh = !w.settle && w.began.Sub(now.modified) < tick
	now.given = now.sum == "" && now.why == "" && (w.settle || same && old.given)
	w.met[key] = now
	return w.settle || same && !old.fresh
}

// took notes what was taken under a name, and reports whether it is what was
// taken before.
func (w *walk) took(name, sum string) (again bool) {
	if w == nil {
		return false
	}
	key := sha256.Sum256([]byte(name))
	now := w.met[key]
	again = now.given || now.sum == sum
	now.sum, now.why, now.given = sum, "", false
	w.met[key] = now
	return again
}

// refused notes why a name was refused, and reports whether it was for this
// before. A folder is met here first.
func (w *walk) refused(name, why string) (again bool) {
	if w == nil {
		return false
	}
	key := sha256.Sum256([]byte(name))
	now, met := w.met[key]
	if !met {
		now = w.past[key]
	}
	again = now.given || now.why == why
	now.sum, now.why, now.given = "", why, false
	w.met[key] = now
	return again
}
