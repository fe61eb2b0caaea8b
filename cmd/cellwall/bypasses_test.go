package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/policy"
)

// bypass is something that is known to get around lists.
type bypass struct {
	name, source string
	rules        []string // of the chain, all that speak; nil = none does, and the program runs
	inside       string   // what the restricted interpreter says then; "" = nothing: what is left is the wall
}

func bypasses() (list []string) {
	for _, b := range knownBypasses {
		list = append(list, b.source)
	}
	return list
}

var knownBypasses = []bypass{
	{"chr of decimals", "__builtins__[chr(95)+chr(95)]", []string{"attribute", "pattern"}, ""},
	{"chr of hexadecimals, which no pattern knows", "x = chr(0x6f) + chr(0x73)", []string{"hidden"}, ""},
	{"chr of a computed number", "x = chr(100 + 11) + chr(100 + 15)", nil, ""},
	{"map of chr", "x = ''.join(map(chr, [111, 115]))", nil, ""},
	{"bytes", "x = bytes([111, 115]).decode()", nil, ""},
	{"escapes of hexadecimals", `x = '\x6f\x73'`, []string{"hidden", "pattern"}, ""},
	{"escapes of code points", `x = '\u006f\u0073'`, []string{"hidden"}, ""},
	{"octal escapes", `x = df['\137\137class\137\137']`, []string{"hidden"}, ""},
	{"names of characters", `x = '\N{LOW LINE}_globals__'`, []string{"hidden"}, ""},
	{"strings side by side", "x = '__glo' 'bals__'", []string{"hidden"}, ""},
	{"strings added", "x = '__glo' + 'bals__'", []string{"hidden"}, ""},
	{"a string reversed", "x = 'so'[::-1]", nil, ""},
	{"a format", "x = '{}{}'.format('o', 's')", nil, ""},
	{"an f-string that walks", "x = f'{df.__class__}'", []string{"attribute", "text", "pattern"}, ""},
	{"an f-string that builds", "x = f\"{'o'}{'s'}\"", nil, ""},
	{"str.format that walks", "x = '{0.__class__}'.format(df)", []string{"text", "pattern"}, ""},
	{"str.format with an escape", `x = '{0.__cl\141ss__}'.format(df)`, []string{"hidden"}, ""},
	{"an attribute walk", "x = [].__class__.__bases__[0].__subclasses__()", []string{"attribute", "text", "pattern"}, ""},
	{"an attribute walk that the lists do not name", "x = [].__reduce_ex__(3)[0]", nil, ""},
	{"a chain of getattr", "x = getattr(getattr(df, '__cla' + 'ss__'), 'm' + 'ro')", []string{"builtin", "hidden"}, ""},
	{"getattr by another name", "import operator\nx = operator.attrgetter('a')", []string{"import"}, ""},
	{"letters of another width", "ｅｖａｌ('1')", []string{"builtin"}, ""},
	{"codecs", "import codecs\nx = codecs.decode('bf', 'rot13')", []string{"import"}, ""},
	{"a decoder that pandas holds", "x = pd.io.common.codecs.decode('bf', 'rot13')", nil, ""},
	{"importlib by from", "from importlib import import_module", []string{"import"}, ""},
	{"import by a call", "__import__('os')", []string{"builtin", "term"}, ""},
	{"an alias of a builtin", "e = eval\ne('1')", []string{"builtin"}, ""},
	{"a builtin by the module", "import builtins\nbuiltins.eval('1')", []string{"import", "pattern"}, ""},
	{"a star", "from os import *", []string{"import"}, ""},
	{"spaces in a call", "exec ('1')", []string{"builtin", "pattern"}, ""},
	{"a line ends in the middle", "import \\\n os", []string{"import"}, ""},
	{"a form feed", "import\x0cos", []string{"import", "pattern"}, ""},
	{"a decorator", "@exec\n@input\nclass X: pass", []string{"builtin"}, ""},
	{"a handler's frame", "try: 1/0\nexcept Exception as e: f = e.__traceback__.tb_frame.f_back", nil, ""},
	{"a module inside a module", "x = pd.io.common.os", nil, ""},
	{"a module from a module", "from statistics import random\nx = random.random()", nil, "禁止 from statistics import"},
	{"a module from deep inside", "from pandas.io.common import codecs\nx = codecs.decode('bf', 'rot13')", nil, "禁止 from pandas.io.common import"},
	{"a module by another name", "from json import codecs as c\nx = c.decode('bf', 'rot13')", nil, "禁止 from json import"},
	{"a module out of a star", "from pandas.io.common import *\nx = codecs", nil, "name 'codecs' is not defined"},
	{"an import in a class", "class A:\n    from statistics import random", nil, "禁止 from statistics import"},
	{"a builtin by way of C", "x = np.fromfile('/etc/hostname')", nil, "禁止使用: open"},
	{"the loader of the module", "x = __loader__", nil, ""},
	{"the loader of another", "x = json_loader = pd.__loader__", nil, ""},
	{"a module by its spec", "x = pd.__spec__.loader", nil, ""},
	{"type with three arguments", "x = type('X', (), {'y': 1})().y", nil, ""},
	{"the classes above", "x = type(1).mro()[-1]", nil, ""},
	{"object's own getattribute", "x = object.__getattribute__(df, '__cla' + 'ss__')", []string{"hidden"}, ""},
	{"the same with a computed name", "n = '_'\nx = object.__getattribute__(pd, n + n + 'name' + n + n)", nil, ""},
	{"the module that a builtin is of", "x = print.__self__.compile", nil, ""},
	{"a generator's frame", "g = (n for n in [1])\nx = g.gi_frame.f_builtins", nil, ""},
	{"a function's parts", "def f(): pass\nx = f.__getattribute__", nil, ""},
	{"a class that is called by a pattern", "match pd:\n    case object(__name__=n): x = n", nil, ""},
	{"a format with a computed field", "x = ('{0.' + '_' * 2 + 'name' + '_' * 2 + '}').format(pd)", nil, ""},
	{"rot13 by a table", "x = str.maketrans('bf', 'os')", nil, ""},
}

// run sees what the restricted interpreter does with what no link of the chain minds.
func (b bypass) run(t *testing.T, h *house) {
	t.Helper()
	r, err := h.controller.Run(t.Context(), cellwall.Request{Code: b.source, Profile: "strict"})
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	if r.Error != nil {
		said = r.Error.Message
	}
	if said != b.inside {
		t.Errorf("%q: %s, %q inside, want %q", b.source, r.Status, said, b.inside)
	}
}

// What is known to get around lists, and which link of strict stops it. Where none
// does, the wall must: the program runs, and what it wants is not to be had.
func TestM32_KnownBypassesAndWhatStopsThem(t *testing.T) {
	h, check := realChain(t)
	for _, c := range knownBypasses {
		t.Run(c.name, func(t *testing.T) {
			found, verdict := check(c.source, policy.Strict)
			var rules []string
			for _, f := range found {
				if !slices.Contains(rules, f.Rule) {
					rules = append(rules, f.Rule)
				}
			}
			if !slices.Equal(rules, c.rules) || (verdict == policy.Refuse) != (len(c.rules) > 0) {
				t.Errorf("%q: %s by %q, want %q", c.source, verdict, rules, c.rules)
			}
			if c.rules == nil {
				c.run(t, h)
			}
		})
	}
	t.Run("only the wall", func(t *testing.T) {
		for name, want := range map[string]string{
			"a folder of the host":    fmt.Sprintf("pd.io.common.os.listdir(%q)", t.TempDir()),
			"the host's passwords":    "pd.read_csv('/etc/shadow')",
			"another one's memory":    "np.load('/proc/1/mem')",
			"the network":             "pd.read_csv('http://192.0.2.1/rates.csv')",
			"the rights of root":      "pd.io.common.os.setuid(0)",
			"a file of the system":    "pd.io.common.os.remove('/usr/bin/python3.13')",
			"the modules of the host": "pd.io.common.os.listdir('/lib/modules')",
		} {
			source := fmt.Sprintf("print('LEAK', %s)", want)
			if found, verdict := check(source, policy.Strict); verdict != policy.Pass {
				t.Errorf("%s is stopped by %+v: then it belongs above", name, found)
			}
			r, err := h.controller.Run(t.Context(), cellwall.Request{Code: source, Profile: "strict"})
			if err != nil {
				t.Fatal(err)
			}
			if r.OK || strings.Contains(r.Stdout.Text, "LEAK") || r.Error == nil || !slices.Contains([]string{
				"FileNotFoundError", "PermissionError", "urllib.error.URLError", "OSError",
			}, r.Error.Type) {
				t.Errorf("%s: %s, error %+v, stdout %q: the wall must answer", name, r.Status, r.Error, r.Stdout.Text)
			}
		}
	})
}
