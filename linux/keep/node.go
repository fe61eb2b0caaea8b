package keep

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// inode is one thing below Work, whatever its names are: the same one for as
// long as the Store knows it. Directories have no link, and none that is deleted
// comes back under its number.
type inode struct {
	ino  uint64
	mode uint32 // its type
	link string // in Hidden; "" for a directory

	// Of regular files:
	now    *content // what it held when it was looked at; nil before the first time
	seen   stamp    // as it was then
	mapped bool     // a living process could write to it without a trace then

	left    int64  // bytes that only Hidden holds, as of the last look
	mark    uint64 // epoch of the last sweep that reached it
	scanned uint64 // epoch of the last scan that met it
}

// stamp is what tells a file that was touched.
type stamp struct {
	size                int64
	atime, mtime, ctime unix.Timespec
	recent              bool // the clock could not tell another access from this one
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{size: st.Size, atime: st.Atim, mtime: st.Mtim, ctime: st.Ctim}
}

// written reports that a file was certainly written to between two stamps.
func (s stamp) written(now stamp) bool { return s.size != now.size || s.mtime != now.mtime }

// touched reports that it may have been.
func (s stamp) touched(now stamp) bool {
	return s.recent || s.written(now) || s.ctime != now.ctime || s.atime != now.atime
}

// node is what a name stood for. Nodes do not change once a checkpoint has them:
// checkpoints share those that are equal.
type node struct {
	of       *inode
	mode     uint32
	mtime    unix.Timespec
	content  *content // of a regular file
	mapped   bool     // as its inode was
	children []child  // of a directory, in the order of their names
	mark     uint64
}

type child struct {
	name string
	node *node
}

func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	at, ok := slices.BinarySearchFunc(n.children, name, func(c child, name string) int { return strings.Compare(c.name, name) })
	if !ok {
		return nil
	}
	return n.children[at].node
}

// equal compares what is there, children by identity.
func (n *node) equal(m *node) bool {
	return m != nil && n.of == m.of && n.mode == m.mode && n.mtime == m.mtime && n.content == m.content &&
		n.mapped == m.mapped && slices.Equal(n.children, m.children)
}

// shared returns tree with every part that old has too taken from old.
func shared(tree, old *node) *node {
	for i, c := range tree.children {
		tree.children[i].node = shared(c.node, old.child(c.name))
	}
	if tree.equal(old) {
		return old
	}
	return tree
}

// each calls f for every node of a tree with its path.
func (n *node) each(f func(path string, n *node)) { n.below("", f) }

func (n *node) below(path string, f func(string, *node)) {
	f(path, n)
	for _, c := range n.children {
		c.node.below(join(path, c.name), f)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
