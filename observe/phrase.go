package observe

import (
	"cmp"
	"strings"
)

// phrase is one sentence in both languages. Names in braces are filled in;
// both languages use the same ones.
type phrase struct{ en, zh string }

// fromData are the blanks that take a name or a value out of a file or of a
// program. They stand in quotation marks, so that what a file says never reads as
// what we say.
var fromData = map[string]bool{
	"name": true, "names": true, "column": true, "columns": true, "row": true, "table": true, "file": true, "value": true,
	"characters": true, "why": true, "line": true, "loop": true, "present": true, "written": true, "own": true,
}

// ours is the one table that has its name from us.
const ours = "df"

// say fills a phrase in the caller's language. args are name, value pairs;
// values are hostile and are cut to one line of maxArgument characters.
func (o *observer) say(p phrase, args ...string) string {
	text := p.en
	if o.zh {
		text = p.zh
	}
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		blank := "{" + args[i] + "}"
		if !strings.Contains(text, blank) { // of the facts about a failure a sentence names few
			continue
		}
		value := o.argument(args[i+1])
		if fromData[args[i]] && value != ours {
			value = quoted(cmp.Or(value, "?"))
		}
		pairs = append(pairs, blank, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// argument makes a value fit into a sentence.
func (o *observer) argument(s string) string {
	return cutMiddle(o.mask(oneLine(s)), maxArgument)
}

// quoted puts text that is no sentence of ours into quotation marks, which it
// cannot close.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, "'") + `"` }

// token is what a number or a word of the driver's looks like; whoever speaks in
// its place is quoted.
func token(s string) bool {
	return len(s) <= 32 && !strings.ContainsFunc(s, func(r rune) bool {
		return r > 'z' || r < '0' && !strings.ContainsRune("+-.,", r) || r > '9' && r < 'A' || r > 'Z' && r < 'a' && r != '_'
	})
}

// list joins names as a sentence in the caller's language does, at most n of
// them.
func (o *observer) list(names []string, n int) string {
	separator, more := ", ", ", …"
	if o.zh {
		separator, more = "、", "等"
	}
	if len(names) > n {
		return strings.Join(names[:n], separator) + more
	}
	return strings.Join(names, separator)
}

// blanks lists the names in braces of a sentence, in order.
func blanks(sentence string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(sentence, "{")
		if !ok {
			return names
		}
		name, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return names
		}
		names = append(names, name)
		sentence = rest
	}
}
