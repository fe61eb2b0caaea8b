package observe

import (
	"regexp"
	"slices"
	"strings"
)

// accessors are what only columns of one kind have. pandas names the accessor, not the
// column, and its words are no word about a value of it.
var accessors = []struct {
	text  string
	class class
}{
	{"Can only use .dt accessor", classNotDates},
	{"Can only use .str accessor", classNotText},
	{"Can only use .cat accessor", classNotCategory},
}

// accessorClass is the class of an accessor on a column of another kind, "" for what is
// no such failure.
func accessorClass(message string) class {
	for _, a := range accessors {
		if strings.Contains(message, a.text) {
			return a.class
		}
	}
	return ""
}

// beforeAccessor finds t["name"].dt and t.name.dt, with the accessor.
var beforeAccessor = regexp.MustCompile(`([\p{L}_][\p{L}\p{N}_]*)(?:\["([^"]+)"\]|\['([^']+)'\]|\.([\p{L}_][\p{L}\p{N}_]*))\.(dt|str|cat)\b`)

// accessed is the column that the failing line uses an accessor on, as code names it,
// and what it holds as far as that is known. Both are "" when there may be several.
func (o *observer) accessed(f fault) (column, held string) {
	missed, ok := between(f.message, "Can only use .", " accessor")
	if !ok {
		return "", ""
	}
	found := beforeAccessor.FindAllStringSubmatch(f.line, -1)
	found = slices.DeleteFunc(found, func(m []string) bool { return m[5] != missed })
	if len(found) != 1 {
		return "", ""
	}
	table, name := found[0][1], found[0][2]+found[0][3]+found[0][4]
	for _, t := range o.tables() {
		if at := slices.Index(t.Columns, name); t.Name == table && at >= 0 {
			return expression(table, name), o.kindOf(t.DTypes, at)
		}
	}
	if found[0][4] != "" { // an attribute of who knows what
		return "", ""
	}
	return expression(table, name), ""
}

func expression(table, column string) string {
	return cutEnd(table, maxName) + "[" + quoted(cutEnd(oneLine(column), maxName)) + "]"
}

// kindOf says what a column of a type holds.
func (o *observer) kindOf(types []string, at int) string {
	switch {
	case at >= len(types):
		return ""
	case types[at] == "str", types[at] == "string":
		return o.say(textKind)
	case token(types[at]) && types[at] != "object": // that may be anything
		return types[at]
	}
	return ""
}

// textKind is what a column of text is told to hold.
var textKind = phrase{"text", "文本"}
