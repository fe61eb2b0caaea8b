package lineedit

import (
	"fmt"
	"strings"
)

// escape writes out characters that do not show.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x20:
			b.WriteString("^" + string(r+0x40))
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
