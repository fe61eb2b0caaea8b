package policy

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a search would find is never ruled out, and words are found where no
// letter of ASCII is beside them.
func FuzzText(f *testing.F) {
	for _, c := range [][2]string{
		{"import os", "os"},
		{"pos = 1", "os"},
		{"OPEN(", "open("},
		{"socKet", "socket"},
		{"中open（", "open"},
		{"新销售 = 1", "销售"},
		{"a", ""},
		{"os_ os", "os"},
		{"", "a"},
		{"İ", "i"},
		{"\xff", "\xff"},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, source, part string) {
		if !utf8.ValidString(source) || !utf8.ValidString(part) {
			return // no other text reaches a link
		}
		text := textOf(source)
		if (strings.Contains(source, part) || strings.Contains(text.folded, strings.ToLower(part))) && !text.mayHold(part) {
			t.Errorf("%q may not hold %q", source, part)
		}
		alone := false
		for at := range source {
			if part != "" && strings.HasPrefix(source[at:], part) {
				before, behind := source[:at], source[at+len(part):]
				alone = alone || (before == "" || !plainLetter(before[len(before)-1])) && (behind == "" || !plainLetter(behind[0]))
			}
		}
		if alone && !text.has(part) {
			t.Errorf("%q has %q by itself", source, part)
		}
	})
}

// A rule may look for a name that is no ASCII: a glance shows that too.
func TestM31_AGlanceShowsNamesInEveryScript(t *testing.T) {
	own, err := Compile(Rules{{Name: "name", Look: LookNames, For: []string{"销售"}, Refuse: true, Message: "{name}"}})
	if err != nil {
		t.Fatal(err)
	}
	for source, minds := range map[string]bool{"销售 = 1": true, "新销售 = 1": true, "售销 = 1": false, "sales = 1": false} {
		if g := glanceAt(textOf(source)); !g.clear || own.links[0].mindsNot(g, "") == minds {
			t.Errorf("%q: clear is %v, the link minds it: %v", source, g.clear, !minds)
		}
	}
}
