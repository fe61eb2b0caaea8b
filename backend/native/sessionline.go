package native

import (
	"time"

	"github.com/cellwall/cellwall"
)

// node is one checkpoint: a snapshot that waits, and what is known of its state.
type node struct {
	id        string
	execution string // after which it was taken
	at        time.Time
	count     int // cells that the state has behind it
	snapshot  *member
	files     keptFiles
	cannot    []cellwall.Notice // what will not come back with it
}

// line is the checkpoints of a session, oldest first. The zero value is empty.
type line struct{ nodes []*node }

func (l *line) all() []*node { return l.nodes }

func (l *line) add(n *node) { l.nodes = append(l.nodes, n) }

// pids are those of the snapshots, as this process counts.
func (l *line) pids() (pids []int) {
	for _, n := range l.nodes {
		pids = append(pids, n.snapshot.pid)
	}
	return pids
}

// newest returns the one that a dead cell goes back to, or nil.
func (l *line) newest() *node {
	if len(l.nodes) == 0 {
		return nil
	}
	return l.nodes[len(l.nodes)-1]
}

// drop forgets a node.
func (l *line) drop(n *node) {
	kept := l.nodes[:0]
	for _, other := range l.nodes {
		if other != n {
			kept = append(kept, other)
		}
	}
	l.nodes = kept
}

// beyond returns the oldest when there are more than so many.
func (l *line) beyond(most int) *node {
	if len(l.nodes) <= most {
		return nil
	}
	return l.nodes[0]
}
