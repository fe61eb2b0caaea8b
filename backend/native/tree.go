package native

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// node is one checkpoint: a snapshot that waits, and what is known of its state.
type node struct {
	id        string
	parent    *node  // nil for the first
	execution string // after which it was taken
	at        time.Time
	count     int // cells that the state has behind it
	snapshot  *member
	cage      *cgroup.Group // in which the snapshot waits
	bytes     int64         // that it alone holds, as of the last look
	files     keptFiles
}

// tree is the checkpoints of a session. The zero value is empty.
type tree struct {
	nodes []*node // oldest first
	live  *node   // the live state grows from it
}

// add makes a node the one that the live state grows from.
func (t *tree) add(n *node) {
	n.parent = t.live
	t.nodes = append(t.nodes, n)
	t.live = n
}

// find returns the node of an id, or nil.
func (t *tree) find(id string) *node {
	n := slices.IndexFunc(t.nodes, func(n *node) bool { return n.id == id })
	if n < 0 {
		return nil
	}
	return t.nodes[n]
}

// remove forgets a node. Its children take its parent, and so does the live
// state when it grew from it.
func (t *tree) remove(n *node) {
	t.nodes = slices.DeleteFunc(t.nodes, func(other *node) bool { return other == n })
	for _, other := range t.nodes {
		if other.parent == n {
			other.parent = n.parent
		}
	}
	if t.live == n {
		t.live = n.parent
	}
}

// spare returns the node to drop next: the oldest that others have grown from,
// else the oldest, since the tip of a branch is all that is left of it. So many
// above the live state are dropped last, or tips that nobody wants would take away
// every way back. The one that the live state grows from is never dropped; nil
// says that there is no other.
func (t *tree) spare(above int) *node {
	var ways [3]*node // back, in the order in which they go
	last, inner := t.above(above), t.inner()
	for _, n := range t.nodes {
		rank := 1
		switch {
		case n == t.live:
			continue
		case slices.Contains(last, n):
			rank = 2
		case inner[n]:
			rank = 0
		}
		if ways[rank] == nil {
			ways[rank] = n
		}
	}
	return cmp.Or(ways[:]...)
}

// above returns the nodes that the live state grew from, nearest first.
func (t *tree) above(most int) (found []*node) {
	if t.live == nil {
		return nil
	}
	for n := t.live.parent; n != nil && len(found) < most; n = n.parent {
		found = append(found, n)
	}
	return found
}

// inner are the nodes that others have grown from.
func (t *tree) inner() map[*node]bool {
	inner := map[*node]bool{}
	for _, n := range t.nodes {
		inner[n.parent] = true
	}
	return inner
}

// expendable names them in the order in which they may lose their files: those
// that others have grown from first, the tips of branches then. What the live state
// grows from is not named, and comes last.
func (t *tree) expendable() (ids []string) {
	inner := t.inner()
	for _, grown := range []bool{true, false} {
		for _, n := range t.nodes {
			if n != t.live && inner[n] == grown {
				ids = append(ids, n.id)
			}
		}
	}
	return ids
}

// bytes is what all of them hold.
func (t *tree) bytes() (sum int64) {
	for _, n := range t.nodes {
		sum += n.bytes + n.files.bytes
	}
	return sum
}

// fork returns the node that two others grew from in common, or nil.
func fork(a, b *node) *node {
	for ; a != nil; a = a.parent {
		for n := b; n != nil; n = n.parent {
			if n == a {
				return a
			}
		}
	}
	return nil
}

// kept names all of them, for an error.
func (t *tree) kept() string {
	if len(t.nodes) == 0 {
		return "none is kept"
	}
	var ids []string
	for _, n := range t.nodes {
		ids = append(ids, n.id)
	}
	return "kept are " + strings.Join(ids, ", ")
}
