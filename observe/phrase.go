package observe

import "strings"

// phrase is one sentence in both languages. Names in braces are filled in;
// both languages use the same ones.
type phrase struct{ en, zh string }

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
	pairs := make([]string, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs[i] = "{" + args[i] + "}"
		pairs[i+1] = o.argument(args[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// argument makes a value fit into a sentence.
func (o *observer) argument(s string) string {
	return cutMiddle(o.mask(oneLine(s)), maxArgument)
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
