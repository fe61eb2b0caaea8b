package visible

import "unicode"

// Shows reports whether r is printable, a space or of private use.
func Shows(r rune) bool { return unicode.IsGraphic(r) || unicode.Is(unicode.Co, r) }

// Acts reports whether a terminal obeys r, or whether r hides something.
func Acts(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || Hides(r) }

// Hides reports whether r makes text read otherwise than it is.
func Hides(r rune) bool {
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidi embeddings, overrides, isolates
		return true
	case r == 0x2028, r == 0x2029: // lines that end for some readers only
		return true
	case r == 0x200b, r == 0x180e, r == 0xfeff, 0x2060 <= r && r <= 0x2064, 0x206a <= r && r <= 0x206f: // no width
		return true
	case 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe007f: // annotations, tags
		return true
	}
	return false
}
