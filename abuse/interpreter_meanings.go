package abuse

import (
	"strings"
	"unicode/utf16"

	"github.com/cellwall/cellwall"
)

// meanings are attempts to have one text read in two ways.
func meanings() []Case {
	return []Case{
		{
			ID: "D99", Title: "bytes that readers of source disagree about", Boundary: "one text, decoded once, for checker and executor", Runs: len(disputed),
			Attack: program(disputed), Control: Control{Harness: "harness_reader.py", Runs: 1, Shows: []string{"carriage_return", "nul", "surrogate"}},
			Sibling: Program{
				Text:   func(World) string { return "\ufeff# \u5206\u6790\r\nprint('ADMITTED',\r\n      'crlf')\r\n" },
				Expect: Expect{Prints: []string{"ADMITTED crlf"}},
			},
		},
		{
			ID: "D100", Title: "code hidden by its declared encoding", Boundary: "decoded once as UTF-8; other cookies are refused", Runs: len(cookies),
			Attack: program(cookies), Control: Control{Runs: 1, Shows: []string{"utf7"}},
			Sibling: Program{
				Text:   func(World) string { return "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\nprint('ADMITTED \u00fc')" },
				Expect: Expect{Prints: []string{"ADMITTED \u00fc"}},
			},
		},
		{
			ID: "D101", Title: "source that reads otherwise than it runs", Boundary: "what reorders or hides is escaped where it is shown",
			Attack: Program{
				Text: func(World) string { return trojan },
				Expect: Expect{
					Statuses: []cellwall.Status{cellwall.StatusError}, Causes: []cellwall.Cause{cellwall.CauseException},
					Prints: []string{"MEANT 2"}, Judge: func(o Outcome) []Problem {
						if o.Result.Error == nil || o.Result.Error.Line != 6 || !strings.Contains(o.Result.Observation.FailedCodeExcerpt, `\u2066`) {
							return []Problem{"the failing line is not shown with its characters escaped"}
						}
						return observedPlain(o)
					},
				},
			},
			Control: Control{Judge: func(x Exhibit) []Problem {
				if !strings.Contains(x.Stderr, "\u202e") || !strings.Contains(x.Stdout, "\u200bwidth \U000e0041\U000e007f\ufeff") {
					return []Problem{"the interpreter itself showed nothing that reorders"}
				}
				return nil
			}},
			Sibling: Program{
				Text: func(World) string {
					return "\u9500\u552e\u989d = 3\nprint('ADMITTED \u05e9\u05dc\u05d5\u05dd\u200f \U0001f469\u200d\U0001f52c', \u9500\u552e\u989d)"
				},
				Expect: Expect{Prints: []string{"ADMITTED \u05e9\u05dc\u05d5\u05dd\u200f \U0001f469\u200d\U0001f52c 3"}},
			},
		},
	}
}

// disputed are refused, or mean to every reader what they mean to Python. The
// first is the one that a control reads.
var disputed = []text{
	{source: "print('MEANT begin')\n# harmless\rprint('ESCAPED carriage_return a reader of lines sees a comment')\n\x00# \xed\xa0\x80", rule: "nul_byte"},
	{source: "print('ESCAPED surrogate it ran')\ns = '\xed\xa0\x80'", rule: "encoding"},
	{source: "\xff\xfe" + wide("print('ESCAPED utf16 it ran')", true), rule: "encoding"},
	{source: "\xfe\xff" + wide("print('ESCAPED utf16 it ran')", false), rule: "encoding"},
	{source: wide("print('ESCAPED utf16 it ran')", true), rule: "nul_byte"},
	{source: "\ufeff# coding: latin-1\nprint('ESCAPED clash it ran')", rule: "coding_cookie"},
	{source: "\ufeff\ufeffprint('ESCAPED marks it ran')", says: "U+FEFF"},
	{source: "\ufeffprint('MEANT', 'mark')", prints: "MEANT mark"},
	{source: "# one\rprint('MEANT', 'cr')\r\nraise ValueError('three')", prints: "MEANT cr", says: "three", line: 3},
	{source: "x = 1\n\x0c\nif x:\n\x0c    print('MEANT', 'ff')\ns = '\u2028\u0085\x1c'\nraise ValueError('six')", prints: "MEANT ff", says: "six", line: 6},
}

// wide encodes as UTF-16 without a mark.
func wide(s string, little bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if little {
			b.Write([]byte{byte(u), byte(u >> 8)})
		} else {
			b.Write([]byte{byte(u >> 8), byte(u)})
		}
	}
	return b.String()
}

// hidden is a comment to whoever reads UTF-8, and a line of code in UTF-7.
const hidden = "# a remark +AAo-print('ESCAPED utf7 hidden code ran')\n"

var cookies = []text{
	{source: "# -*- coding: utf-7 -*-\n" + hidden, rule: "coding_cookie"},
	{source: "#!/usr/bin/python3\n# vim: set fileencoding=utf_7 :\n" + hidden, rule: "coding_cookie"},
	{source: "\ufeff\x0c# coding=UTF-7\n" + hidden, rule: "coding_cookie"},
	{source: "\r# coding: utf-7\r" + hidden, rule: "coding_cookie"},
	{source: "# coding: rot13\ncevag('RFPNCRQ ebg13 vg ena')", rule: "coding_cookie"},
	{source: "# coding: unicode_escape\n# \\u000aprint('ESCAPED escapes hidden code ran')", rule: "coding_cookie"},
	{source: "# coding: latin-1\nprint('ESCAPED latin1 it ran')", rule: "coding_cookie"},
	{source: "# coding: no-such-thing\nprint('ESCAPED unknown it ran')", rule: "coding_cookie"},
	{source: "x = 1\n# coding: utf-7\n" + hidden + "print('MEANT', x)", prints: "MEANT 1"}, // too late to be a declaration
}

// trojan has a second function whose name looks like the first's, a comment
// that seems to end before it does, and a failing line that reads backwards.
const trojan = "def \u0430dmin(): return 2\n" +
	"def admin(): return 1\n" +
	"level = 'user\u202e \u2066# only admins\u2069 \u2066'\n" +
	"if level != 'user': print('MEANT', \u0430dmin())\n" +
	"print('zero\u200bwidth \U000e0041\U000e007f\ufeff')\n" +
	"raise ValueError('\u202egnirts \u2066desrever\u2069 \U000e0041\ufeff' + level)\n"
