package policy

import (
	"strings"
	"testing"
)

func TestM31_AGlanceIsClearOnlyWhereTheTextShowsAll(t *testing.T) {
	for source, want := range map[string]bool{
		"x = df.groupby('a')['b'].sum()":                     true,
		"import pandas as pd, numpy\nfrom json import loads": true,
		"x = out_dir + '/a.png'":                             true,
		"print('销售额：', 总计)  # 全部，都是":                         true,
		`re.sub('\d+\n\\', '', x)`:                           true,
		"x = '\\d+\\n\\\\x41'":                               true,
		"x = 'a' 'b'":                                        false,
		"x = ('a' # one\n  + (f'b'))":                        false,
		"x = 'a', 'b'":                                       true,
		"x = '\\x41'":                                        false,
		"x = '\\N{DIGIT ONE}'":                               false,
		"x = '\\101'":                                        false,
		"x = '\\u0041'":                                      false,
		"import \\\n os":                                     false,
		"a\rb":                                               false,
		"chr(1)":                                             false,
		"x = 1; import os":                                   false,
		"if x: import os":                                    false,
		"from json import x; import os":                      false,
		"from . import x":                                    false,
		"import os . path":                                   false,
		"# imports are fine":                                 true, // no such word
		"# this will import os":                              false,
		"ｅｖａｌ('1')":                                          false,
		"e\u0301val":                                         false,
		"ºs":                                                 false,
		"a\u200bb":                                           false,
		`f'{x['a']}'`:                                        false, `f'{x["a"]:>{w}} {{ "'`: true, `f'{"a" "b"}'`: false, `f'{"a" + f"b"}'`: false, `f'{"a"}{"b"}'`: true,
		`'b'`: true, `''`: true, `'''a''' `: true, `'a''b'`: false, `'a'f'b'`: false, `'a' + rb'b'`: false, `'a' + x + 'b'`: true, `'a`: false,
		"x = '#' # '\ny = 'b'": true, `x = 'a\'b' 'c'`: false, `'''a'b''' + 'c'`: false, `print('', '')`: true, `fx['a']`: true, `f''`: true,
	} {
		if g := glanceAt(textOf(source)); g.clear != want {
			t.Errorf("%q: clear is %v, want %v", source, g.clear, want)
		}
	}
}

func TestM31_WhatAGlanceShowsIsLookedAtAgain(t *testing.T) {
	s, err := Compile(Shipped(Strict))
	if err != nil {
		t.Fatal(err)
	}
	for source, passes := range map[string]bool{
		"import pandas.io": true, "import os": false, "from os.path import join": false, "import scipy": false,
		"x.__class__": false, "'__class__'": false, "open": false, "reopen": true, "x['getattr']": false, "df.eval(a)": false,
		"import pandasx": false, "from datetime import date as d": true, "中__dict__": false,
	} {
		g, rest := glanceAt(textOf(source)), []string{}
		for _, l := range s.links {
			if l.needsOutline() && !l.mindsNot(g, "python-data-basic") {
				rest = append(rest, l.Name)
			}
		}
		if (len(rest) == 0) != passes {
			t.Errorf("%q is minded by %q", source, rest)
		}
	}
}

// FuzzGlance: every name that stands in the text by itself is among the words.
func FuzzGlance(f *testing.F) {
	for _, s := range []string{"a.__class__", "\"x\"+'y'", "import os", "é", "\\", "'", "x #'\n'", "中open（"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		g := glanceAt(textOf(source))
		if !g.clear {
			return
		}
		for _, word := range strings.FieldsFunc(source, func(r rune) bool { return r >= 0x80 || !inWord(byte(r)) }) {
			if !g.has(word) {
				t.Errorf("%q is no word of %q", word, source)
			}
		}
	})
}
