package tools

import "unicode"

// Tokens estimates how many tokens a text is to a model: a Chinese, Japanese or
// Korean character is one, of everything else three bytes are. Models differ;
// the estimate errs on the high side, so that a budget holds.
func Tokens(s string) int {
	wide, bytes := 0, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0:
			wide++
		case r < 0x80:
			bytes++
		default:
			bytes += 3
		}
	}
	return wide + (bytes+2)/3
}
