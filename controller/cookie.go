package controller

import (
	"regexp"
	"strings"
)

// PEP 263, "Defining the Encoding": a comment in one of the first two lines
// names the encoding, the second line only after a first one that is blank or
// a comment. The expressions are the PEP's and tokenize's.
var (
	cookieLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)
	blankLine  = regexp.MustCompile(`^[ \t\f]*(?:#.*)?$`)
)

// codingCookie returns the declared encoding as written, and the offset of its
// line. "" means none.
func codingCookie(source string) (name string, offset int) {
	for range 2 {
		line, size := firstLine(source[offset:])
		if m := cookieLine.FindStringSubmatch(line); m != nil {
			return m[1], offset
		}
		if !blankLine.MatchString(line) {
			return "", 0
		}
		offset += size
	}
	return "", 0
}

// firstLine returns the first line of s without its end, and its size with it.
func firstLine(s string) (line string, size int) {
	i := strings.IndexAny(s, "\r\n")
	switch {
	case i < 0:
		return s, len(s)
	case strings.HasPrefix(s[i:], "\r\n"):
		return s[:i], i + 2
	}
	return s[:i], i + 1
}

// isUTF8 reports whether Python takes name for UTF-8: as its tokenizer
// normalises it ("utf-8-unix" is UTF-8 too), or by an alias of the codec.
func isUTF8(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	switch name {
	case "utf-8", "utf8", "u8", "utf", "cp65001":
		return true
	}
	return strings.HasPrefix(name, "utf-8-")
}
