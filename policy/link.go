package policy

import (
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// subject is a program as the links see it.
type subject struct {
	*text
	environment string // its name
	outline     Outline
}

// needsOutline reports whether a link looks at what only a parser knows.
func (l link) needsOutline() bool {
	return !slices.Contains([]Look{LookTerms, LookTexts, LookPatterns}, l.Look)
}

// mayFind reports whether advice could come of a program: one of the words, or
// the last part of a dotted one, stands in its text. What refuses is never
// decided so: a program can write a name in other letters.
func (l link) mayFind(source string) bool {
	if l.Refuse || l.Others || l.Look == LookSyntax || l.Look == LookHidden || l.Look == LookWhole {
		return true
	}
	return slices.ContainsFunc(l.For, func(word string) bool {
		return strings.Contains(source, word[strings.LastIndexByte(word, '.')+1:])
	})
}

// find returns what a link objects to, in the order of lines.
func (l link) find(s *subject) []cellwall.Finding {
	switch l.Look {
	case LookSyntax:
		return l.syntax(s)
	case LookImports, LookImport, LookFrom:
		return l.imports(s)
	case LookNames:
		return l.named(s.outline.Names)
	case LookCalls:
		return l.named(s.outline.Calls)
	case LookAttribute:
		return l.named(s.outline.Attributes)
	case LookWhole:
		return l.named(s.outline.Strings)
	case LookHidden:
		return l.hidden(s)
	case LookPatterns:
		return l.matched(s)
	}
	return l.written(s)
}

func (l link) syntax(s *subject) []cellwall.Finding {
	o := s.outline
	if o.Said == "" || o.Notebook && !l.Plain {
		return nil
	}
	said := o.Said
	if !l.Plain { // the article's own has the place in it
		if at := strings.LastIndex(said, " (<unknown>"); at > 0 {
			said = said[:at]
		}
	}
	return []cellwall.Finding{l.finding(o.Line, "{message}", said)}
}

func (l link) imports(s *subject) (found []cellwall.Finding) {
	seen := map[string]bool{}
	for _, i := range s.outline.Imports {
		if l.Look == LookImport && i.From || l.Look == LookFrom && !i.From || seen[i.Module] {
			continue
		}
		seen[i.Module] = true
		if l.lists(i.Module, s.environment) == l.Others {
			continue
		}
		first, _, _ := strings.Cut(i.Module, ".")
		found = append(found, l.finding(i.Line, "{module}", i.Module, "{name}", first))
	}
	return found
}

// lists reports whether a module, or one that it lies in, is in the list.
func (l link) lists(module, environment string) bool {
	also := l.also[environment]
	for at := range len(module) {
		if module[at] == '.' && (l.words[module[:at]] || also[module[:at]]) {
			return true
		}
	}
	return l.words[module] || also[module]
}

func (l link) named(present map[string]int) (found []cellwall.Finding) {
	for _, word := range l.For {
		if line, ok := present[word]; ok {
			found = append(found, l.finding(line, "{name}", word))
		}
	}
	return byLine(found)
}

func (l link) hidden(s *subject) (found []cellwall.Finding) {
	for _, word := range l.For {
		first := 0
		for text, line := range s.outline.Strings {
			if strings.Contains(text, word) && (first == 0 || line < first) {
				first = line
			}
		}
		if first > 0 {
			found = append(found, l.finding(first, "{name}", word))
		}
	}
	return byLine(found)
}

// written searches the text itself.
func (l link) written(s *subject) (found []cellwall.Finding) {
	where, words := s.source, l.For
	if l.Look == LookTerms {
		where, words = s.folded, l.folded
	}
	for n, word := range words {
		if !s.mayHold(word) {
			continue
		}
		if at := strings.Index(where, word); at >= 0 {
			found = append(found, l.finding(lineAt(where, at), "{term}", l.For[n]))
		}
	}
	return byLine(found)
}

func (l link) matched(s *subject) (found []cellwall.Finding) {
	for n, p := range l.patterns {
		if begins, _ := p.LiteralPrefix(); !s.mayHold(begins) {
			continue
		}
		if at := p.FindStringIndex(s.source); at != nil {
			found = append(found, l.finding(lineAt(s.source, at[0]), "{pattern}", l.For[n]))
		}
	}
	return byLine(found)
}

func (l link) finding(line int, pairs ...string) cellwall.Finding {
	return cellwall.Finding{
		Rule: l.Name, Line: max(line, 1), Message: strings.NewReplacer(pairs...).Replace(l.Message), Instead: l.Instead, Advice: !l.Refuse,
	}
}

func byLine(found []cellwall.Finding) []cellwall.Finding {
	slices.SortStableFunc(found, func(a, b cellwall.Finding) int { return a.Line - b.Line })
	return found
}

// lineAt returns the line of an offset, from 1, as Python counts.
func lineAt(s string, offset int) int {
	before := s[:offset]
	return 1 + strings.Count(before, "\n") + strings.Count(before, "\r") - strings.Count(before, "\r\n")
}
