package artifact

import (
	"io"

	"github.com/cellwall/cellwall"
)

// rewriter is a tree whose texts are delivered otherwise than they lie there: without
// personal data.
type rewriter interface {
	Rewrite(media string, content io.Reader) io.Reader
}

// rewritten returns content as the tree delivers it, and what to mark the artifact with:
// what is no text in bytes of ASCII and more is delivered as it is.
func (h *harvest) rewritten(k kind, content io.Reader) (io.Reader, []string) {
	tree, ok := h.fsys.(rewriter)
	switch {
	case !ok:
		return content, nil
	case !k.plain || k.word == "image":
		return content, []string{cellwall.FlagUnmasked}
	}
	return tree.Rewrite(k.media, content), nil
}
