package tools

import "strings"

// Phrase is one text in both languages. Names in braces are filled in.
type Phrase struct{ En, Zh string }

// Text fills a Phrase; args are name, value pairs.
func (l Language) Text(p Phrase, args ...string) string {
	text := p.En
	if l == Chinese {
		text = p.Zh
	}
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs[i], pairs[i+1] = "{"+args[i]+"}", args[i+1]
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// list joins names as a sentence does.
func (l Language) list(names []string) string {
	if l == Chinese {
		return strings.Join(names, "、")
	}
	return strings.Join(names, ", ")
}
