package observe

import (
	"fmt"
	"strings"
)

// writeEscape writes r as Python would in a string, so that a name with it can
// be used as it is shown.
func writeEscape(b *strings.Builder, r rune) {
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08x`, r)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
