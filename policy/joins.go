package policy

import "strings"

// joins reports whether two strings of a program may become one: between the end
// of one and the beginning of the next stands nothing but what Python skips there,
// a plus and brackets. It is true of strings that are not read here to their end.
func joins(source string) bool {
	after := false // nothing but that since a string
	for at := 0; at < len(source); at++ {
		switch c := source[at]; {
		case c == '#':
			end := strings.IndexByte(source[at:], '\n')
			if end < 0 {
				return false
			}
			at += end
		case c == '"' || c == '\'':
			end, whole := endOf(source, at)
			if after || !whole {
				return true
			}
			at, after = end-1, true
		case after && (strings.IndexByte(" \t\f\n()+", c) >= 0 || begins(source[at:])):
		default:
			after = false
		}
	}
	return false
}

// begins reports whether letters and a quote follow each other.
func begins(text string) bool {
	for n := range min(3, len(text)) {
		if text[n] == '"' || text[n] == '\'' {
			return n > 0
		}
		if strings.IndexByte("rRbBuUfFtT", text[n]) < 0 {
			return false
		}
	}
	return false
}

// endOf returns where the string ends whose first quote is at an offset. It is not
// whole when it has no end, or when its fields hold strings that are more than a
// plain one in other quotes.
func endOf(source string, at int) (end int, whole bool) {
	quote := source[at : at+1]
	if at+3 <= len(source) && source[at+1] == quote[0] && source[at+2] == quote[0] {
		quote = source[at : at+3]
	}
	fields, depth := formats(source[:at]), 0
	for at += len(quote); at < len(source); at++ {
		switch c := source[at]; {
		case depth == 0 && c == quote[0] && strings.HasPrefix(source[at:], quote):
			return at + len(quote), true
		case depth == 0 && c == '\\':
			at++
		case fields && depth == 0 && strings.HasPrefix(source[at:], "{{"):
			at++
		case fields && c == '{':
			depth++
		case depth > 0 && c == '}':
			depth--
		case depth > 0 && (c == '\\' || c == '#' || c == quote[0]):
			return 0, false
		case depth > 0 && (c == '"' || c == '\''):
			length := strings.IndexAny(source[at+1:], "\"'\\\n{}")
			if length < 0 || source[at+1+length] != c || inner(source[at+length+2:]) {
				return 0, false
			}
			at += length + 1
		}
	}
	return 0, false
}

// formats reports whether the letters before a quote make fields of what is in
// braces.
func formats(before string) bool {
	letters := before[len(strings.TrimRight(before, "rRbBuUfFtT")):]
	return strings.ContainsAny(letters, "fFtT")
}

// inner reports whether a string within a field is followed by another.
func inner(text string) bool {
	text = strings.TrimLeft(text, " \t\f\n()+")
	return text != "" && (text[0] == '"' || text[0] == '\'' || begins(text))
}
