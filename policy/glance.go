package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// glance is what the text of a program shows without a parser, never less than
// its outline would: more names than it has, and clear only where there can be
// nothing that the text does not show. What no link minds of a glance no link
// minds of the outline; what one minds is looked at again, with a parser.
type glance struct {
	*text            // every name stands in it, whole
	modules []Import // of import statements; lines are not known
	clear   bool     // false: the text may mean what it does not show
}

func glanceAt(t *text) glance {
	g := glance{text: t}
	if strings.IndexByte(t.source, '\r') >= 0 || escapes(t.source) || joins(t.source) || !namesStay(t.source) || t.has("chr") {
		return g
	}
	g.clear = !t.has("import") || g.imports(t.source)
	return g
}

// namesStay reports whether no word can be another one once it is normalized.
func namesStay(source string) bool {
	for _, r := range source {
		if r >= utf8.RuneSelf && !keepsApart(r) {
			return false
		}
	}
	return true
}

// inWord reports whether Python's tokenizer reads on at a byte of a word.
func inWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= utf8.RuneSelf
}

// keepsApart reports whether a name with this letter is no name in ASCII,
// however it is normalized, or no name at all: ideographs and kana as they are
// written, and marks that stand in strings only.
func keepsApart(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA:
		return true
	}
	return !unicode.In(r, unicode.Pc, unicode.L, unicode.N, unicode.M, unicode.C)
}

// escapes reports whether a backslash may stand for a letter, or hide the end of
// a line.
func escapes(source string) bool {
	for {
		at := strings.IndexByte(source, '\\')
		if at < 0 {
			return false
		}
		if at+1 == len(source) || strings.IndexByte("xuUN01234567\n\f", source[at+1]) >= 0 {
			return true
		}
		source = source[at+2:]
	}
}

// imports reads the lines with the word import, and reports false for one that
// is more than a plain statement.
func (g *glance) imports(source string) bool {
	for line := range strings.Lines(source) {
		if !strings.Contains(line, "import") {
			continue
		}
		found, plain := imported(strings.TrimSuffix(line, "\n"))
		if !plain {
			return false
		}
		g.modules = append(g.modules, found...)
	}
	return true
}

// mindsNot reports whether the link finds nothing in a program of this glance,
// whatever its outline is, when it parses.
func (l link) mindsNot(g glance, environment string) bool {
	if !g.clear {
		return false
	}
	switch l.Look {
	case LookSyntax, LookHidden, LookWhole:
		return true
	case LookImports, LookImport, LookFrom:
		return len(l.imports(&subject{environment: environment, outline: Outline{Imports: g.modules}})) == 0
	case LookNames, LookAttribute, LookCalls:
		for _, word := range l.For {
			if word != "import" && g.has(word[strings.LastIndexByte(word, '.')+1:]) { // a keyword names nothing
				return false
			}
		}
		return true
	}
	return false
}
