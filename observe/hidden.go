package observe

import (
	"fmt"
	"strings"
)

// hidden reports whether r makes text read otherwise than it is: it reorders
// its neighbours, stands between letters without a width, or spells a message
// that only a model sees (the tag characters). The marks that ordinary text in
// Arabic, Hebrew or Indic scripts and emoji need (200C to 200F, 061C) pass.
func hidden(r rune) bool {
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidi embeddings, overrides, isolates
		return true
	case r == 0x200b, r == 0x180e, r == 0xfeff, 0x2060 <= r && r <= 0x2064: // no width
		return true
	case 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe007f: // annotations, tags
		return true
	}
	return false
}

// writeEscape writes r as Python would in a string, so that a name with it can
// be used as it is shown.
func writeEscape(b *strings.Builder, r rune) {
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08x`, r)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
