package controller

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

func TestCheckSource(t *testing.T) {
	long := strings.Repeat("字", cellwall.MaxCodeBytes)
	for _, c := range []struct {
		name, code, rule string
		line             int
	}{
		{"plain code", "x = 1\nprint(x)\n", "", 0},
		{"a byte order mark comes off", "\uFEFFprint(1)", "", 0},
		{"exactly the limit in characters, not bytes", long, "", 0},
		{"one character too many", long + "x", ruleSize, 1},
		{"a NUL byte", "a\nb\r\nc\x00", ruleNUL, 3},
		{"bytes that are no UTF-8", "a = 1\nb = '\xff'", ruleEncoding, 2},
		{"a character that is no error though it looks like one", "x = '\uFFFD'", "", 0},
		{"an overlong encoding", "x = '\xc0\xaf'", ruleEncoding, 1},
		{"UTF-16", "\xff\xfep\x00r\x00", ruleEncoding, 1},
		{"a utf-8 cookie", "# -*- coding: utf-8 -*-\n", "", 0},
		{"an Emacs cookie", "# -*- coding: utf-8-unix -*-\n", "", 0},
		{"an underscore and capitals", "# coding=UTF_8\n", "", 0},
		{"a foreign cookie", "# -*- coding: latin-1 -*-\nx", ruleCookie, 1},
		{"utf-7 is foreign", "# coding: utf-7\n", ruleCookie, 1},
		{"a vim cookie on line 2 after a comment", "#!/usr/bin/python\n# vim: set fileencoding=gbk :\n", ruleCookie, 2},
		{"on line 2 after a form feed", "\f\n# coding: gbk\n", ruleCookie, 2},
		{"line ends are Python's", "#!x\r# coding: gbk\r", ruleCookie, 2},
		{"after a byte order mark", "\uFEFF# coding: gbk\n", ruleCookie, 1},
		{"on line 2 after code it means nothing", "x = 1\n# coding: gbk\n", "", 0},
		{"on line 3 it means nothing", "\n\n# coding: gbk\n", "", 0},
		{"in a string it means nothing", "s = '# coding: gbk'\n", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, findings := checkSource(c.code)
			if strings.HasPrefix(source, byteOrderMark) {
				t.Error("the byte order mark is still there")
			}
			switch {
			case c.rule == "" && len(findings) != 0:
				t.Errorf("refused: %+v", findings)
			case c.rule != "" && (len(findings) == 0 || findings[0].Rule != c.rule || findings[0].Line != c.line):
				t.Errorf("findings %+v, want %s in line %d", findings, c.rule, c.line)
			}
		})
	}
}

func FuzzCheckSource(f *testing.F) {
	for _, s := range []string{"x = 1", "\xff\xfe", "#coding:\n", "\n#coding:gbk", "\uFEFF\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		source, findings := checkSource(code)
		if len(findings) == 0 && (!utf8.ValidString(source) || strings.Contains(source, "\x00")) {
			t.Errorf("passed %q", code)
		}
		lines := 1 + strings.Count(code, "\n") + strings.Count(code, "\r")
		for _, f := range findings {
			if f.Line < 1 || f.Line > lines || !utf8.ValidString(f.Message) {
				t.Errorf("finding %+v in code of %d lines", f, lines)
			}
		}
	})
}
