package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/policy"
)

// realChain is a chain over the real parser of python-data-basic behind the real
// wall.
func realChain(t *testing.T) (*house, func(source string, p policy.Profile) ([]cellwall.Finding, policy.Verdict)) {
	t.Helper()
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	env, err := h.environments.Open(defaultEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	return h, func(source string, p policy.Profile) ([]cellwall.Finding, policy.Verdict) {
		t.Helper()
		found, verdict, err := h.chain.Check(t.Context(), policy.Program{Source: source, Profile: p, Environment: env})
		if err != nil {
			t.Fatalf("%s: %.80q: %v\nhint: %s", p, source, err, cellwall.HintOf(err))
		}
		return found, verdict
	}
}

func messages(found []cellwall.Finding) (list []string) {
	for _, f := range found {
		list = append(list, fmt.Sprintf("%d %s", f.Line, f.Message))
	}
	return list
}

// The three articles' own code and messages, as they are written there.
func TestM32_MessagesAreTheArticlesWordForWord(t *testing.T) {
	_, check := realChain(t)
	for _, c := range []struct {
		profile policy.Profile
		source  string
		first   string // "" = passes
		others  []string
	}{
		// The second article: static_code_check.
		{policy.Execute, "import math\nimport os\n", "2 Sensitive module os is forbidden", nil},
		{policy.Execute, "import os.path", "1 Sensitive module os.path is forbidden", nil},
		{policy.Execute, "from os.path import join", "1 Sensitive module os.path is forbidden", nil},
		{policy.Execute, "def f():\n    import subprocess, sys\n", "2 Sensitive module subprocess is forbidden", []string{"2 Sensitive module sys is forbidden"}},
		{policy.Execute, "import socket", "1 Sensitive module socket is forbidden", nil},
		{policy.Execute, "import ctypes", "1 Sensitive module ctypes is forbidden", nil},
		{policy.Execute, "import importlib", "1 Sensitive module importlib is forbidden", nil},
		{policy.Execute, "import pkgutil", "1 Sensitive module pkgutil is forbidden", nil},
		{policy.Execute, "import shutil", "1 Sensitive module shutil is forbidden", nil},
		{policy.Execute, "x = (", "1 Invalid syntax: '(' was never closed (<unknown>, line 1)", nil},
		{policy.Execute, "a = 1\nb = = 2\nimport os", "2 Invalid syntax: invalid syntax (<unknown>, line 2)", nil},
		{policy.Execute, "!ls", "1 Invalid syntax: invalid syntax (<unknown>, line 1)", nil},
		{policy.Execute, "```python\nprint(1)\n```", "1 Invalid syntax: invalid syntax (<unknown>, line 1)", nil},
		// Its gaps: they pass there, and so they do here.
		{policy.Execute, "import requests", "", nil},
		{policy.Execute, "__import__('os').system('true')", "", nil},
		{policy.Execute, "open('/etc/passwd').read()", "", nil},
		{policy.Execute, "from . import os", "", nil},
		{policy.Execute, "import osmnx", "", nil},
		{policy.Execute, "n = 2\nfound = []\nwhile len(found) < 100:\n    if all(n % p for p in found):\n        found.append(n)\n    n += 1\nprint(sum(found))", "", nil},

		// The third article: check_imports, by its list of nine.
		{policy.Strict, "import pandas as pd, numpy as np\nimport matplotlib.pyplot as plt\nimport seaborn, json, math, statistics, datetime, collections", "", nil},
		{policy.Strict, "import re", "1 禁止 import 模块: re", nil},
		{policy.Strict, "import xml.dom", "1 禁止 import 模块: xml", nil},
		{policy.Strict, "from xml.dom import minidom", "1 禁止 from xml.dom import", nil},
		{policy.Strict, "from pandas.io import json", "", nil},
		// Its restricted exec and its builtins.
		{policy.Strict, "exec('1')", "1 禁止使用: exec", []string{`1 检测到危险模式: exec\s*\(`}},
		{policy.Strict, "f = open", "1 禁止使用: open", nil},
		{policy.Strict, "getattr(df, 'x')", "1 禁止使用: getattr", nil},
		{
			policy.Strict, "vars(); globals(); locals(); dir(); setattr(a, 'b', 1); delattr(a, 'b'); compile('1', '', 'eval')", "1 禁止使用: compile",
			[]string{"1 禁止使用: vars", "1 禁止使用: globals", "1 禁止使用: locals", "1 禁止使用: dir", "1 禁止使用: setattr", "1 禁止使用: delattr"},
		},
		// Its patterns.
		{policy.Strict, "x = a.__class__.__bases__[0].__subclasses__()", "1 禁止使用: __class__", []string{
			"1 检测到危险模式: __class__", "1 检测到危险模式: __bases__", "1 检测到危险模式: __subclasses__",
		}},
		{policy.Strict, "f.__globals__, f.__builtins__, f.__code__, f.__dict__", "1 禁止使用: __globals__", []string{
			"1 检测到危险模式: __globals__", "1 检测到危险模式: __builtins__", "1 检测到危险模式: __code__", "1 检测到危险模式: __dict__",
		}},
		{policy.Strict, "chr( 111 )", `1 检测到危险模式: chr\(\s*\d+\s*\)`, nil},
		{policy.Strict, `x = '\x6f'`, "", []string{`1 检测到危险模式: \\x[0-9a-fA-F]{2}`}},
		{policy.Strict, "eval ('1')", "1 禁止使用: eval", []string{`1 检测到危险模式: eval\s*\(`}},
		{policy.Strict, "import os", "1 禁止 import 模块: os", []string{"1 禁止使用: import os", `1 检测到危险模式: import\s+os`}},
		{policy.Strict, "import  sys", "1 禁止 import 模块: sys", []string{`1 检测到危险模式: import\s+sys`}},
		// The first article's terms, in any case.
		{policy.Strict, "# SubProcess", "1 代码包含不允许的操作: subprocess", nil},
		{policy.Strict, "x = 1\n# no socket", "2 代码包含不允许的操作: socket", nil},
		{policy.Strict, "df['requests']", "1 代码包含不允许的操作: requests", nil},
		{policy.Strict, "'urllib'", "1 代码包含不允许的操作: urllib", nil},
		{policy.Strict, "'os.environ'", "1 代码包含不允许的操作: os.environ", nil},
		{policy.Strict, "'__import__'", "1 代码包含不允许的操作: __import__", nil},
		{policy.Strict, "'open('", "1 禁止使用: open(", []string{"1 代码包含不允许的操作: open("}},
		// More of its false alarms: no more than that.
		{policy.Strict, "df.eval('a + b')", `1 检测到危险模式: eval\s*\(`, nil},
		{policy.Strict, "import osmnx", "1 禁止 import 模块: osmnx", []string{`1 检测到危险模式: import\s+os`}},
		{policy.Strict, "fig.canvas.reopen()", "1 禁止使用: open(", []string{"1 代码包含不允许的操作: open(", `1 检测到危险模式: open\s*\(`}},
		// Its gaps.
		{policy.Strict, "pd.io.common.os.system('true')", "", nil},
		{policy.Strict, "(x for x in []).gi_frame.f_back", "", nil},
	} {
		found, verdict := check(c.source, c.profile)
		got := messages(found)
		missing := slices.DeleteFunc(slices.Clone(c.others), func(m string) bool { return slices.Contains(got, m) })
		refused := c.first != "" || len(c.others) > 0
		if (verdict == policy.Refuse) != refused || c.first != "" && (len(got) == 0 || got[0] != c.first) || len(missing) > 0 {
			t.Errorf("%s of %q:\n  %s %q\n  want first %q and %q", c.profile, c.source, verdict, got, c.first, c.others)
		}
		if slices.ContainsFunc(found, func(f cellwall.Finding) bool { return f.Instead == "" }) {
			t.Errorf("%q: a finding does not say what to use instead: %+v", c.source, found)
		}
	}
}
