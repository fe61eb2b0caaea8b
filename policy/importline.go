package policy

import "strings"

// blanks are what Python skips within a line.
const blanks = " \t\f"

// imported returns the modules that a line imports, and whether it is a plain
// statement and no more: import a, b.c as d # why, or the first line of
// from a.b import c. It stands for two regular expressions, which took ten times as
// long: see its test.
func imported(line string) (modules []Import, plain bool) {
	if rest, ok := behind(line, "from"); ok {
		end := strings.IndexAny(rest, blanks)
		if end < 0 || !isModule(rest[:end]) || strings.Contains(line, ";") {
			return nil, false
		}
		names, ok := strings.CutPrefix(strings.TrimLeft(rest[end:], blanks), "import")
		return []Import{{Module: rest[:end], From: true}}, ok && names != "" && strings.Contains(blanks+"(*", names[:1])
	}
	line, _, _ = strings.Cut(line, "#")
	rest, ok := behind(line, "import")
	if !ok {
		return nil, false
	}
	for one := range strings.SplitSeq(rest, ",") {
		words := strings.FieldsFunc(one, func(r rune) bool { return strings.ContainsRune(blanks, r) })
		renamed := len(words) == 3 && words[1] == "as" && isPlain(words[2])
		if len(words) != 1 && !renamed || !isModule(words[0]) {
			return nil, false
		}
		modules = append(modules, Import{Module: words[0]})
	}
	return modules, true
}

// behind returns what stands behind the first word of a line.
func behind(line, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(line, blanks), word)
	if !ok {
		return "", false
	}
	begins := strings.TrimLeft(rest, blanks)
	return begins, len(begins) < len(rest)
}

// isModule reports whether a text is letters, digits and dots of ASCII, a letter
// first.
func isModule(text string) bool {
	return text != "" && text[0] != '.' && (text[0] < '0' || text[0] > '9') && isPlain(strings.ReplaceAll(text, ".", ""))
}

// isPlain reports whether a text is letters and digits of ASCII.
func isPlain(text string) bool {
	for n := range len(text) {
		if !plainLetter(text[n]) {
			return false
		}
	}
	return true
}
