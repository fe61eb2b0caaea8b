package observe

// hint is the way forward for a failure; meant are the names that did_you_mean lists.
func (o *observer) hint(f fault, meant []string) string {
	if f.class == className && importable(f.name) {
		return o.say(importFirst, "statement", imports[f.name])
	}
	said := o.fullest(f.class, o.facts(f))
	if len(meant) > 0 {
		said += o.say(seeMeant)
	}
	return said
}

// fullest is, of what can be said of a class, the first of which every value is known. A
// sentence with a gap is worse than a plainer one.
func (o *observer) fullest(c class, facts []string) string {
	for _, p := range o.ways(c) {
		if o.knows(p, facts) {
			return o.say(p, facts...)
		}
	}
	return o.say(hints[classOther])
}

// ways are the hints of a class, best first.
func (o *observer) ways(c class) []phrase {
	var all []phrase
	if o.in.Result.SessionID != nil {
		all = append(all, sessionHints[c]...)
	}
	all = append(all, finer[c]...)
	if p, ok := hints[c]; ok {
		all = append(all, p)
	}
	return append(all, barer[c]...)
}

// knows reports whether every value is known that a phrase names.
func (o *observer) knows(p phrase, facts []string) bool {
	for _, name := range blanks(p.en) {
		for i := 0; i+1 < len(facts); i += 2 {
			if facts[i] == name && o.argument(facts[i+1]) == "" {
				return false
			}
		}
	}
	return true
}

// importFirst is the hint for a name that only lacks its import.
var importFirst = phrase{
	"Import it first: {statement}",
	"请先导入：{statement}",
}

// seeMeant follows a hint where names were found that come close.
var seeMeant = phrase{
	" did_you_mean lists what comes closest.",
	"did_you_mean 给出最接近的名称。",
}

// imports are the statements behind names that models use without importing.
var imports = map[string]string{
	"os": "import os", "sys": "import sys", "re": "import re", "json": "import json", "math": "import math", "io": "import io",
	"time": "import time", "random": "import random", "datetime": "from datetime import datetime", "timedelta": "from datetime import timedelta",
	"Path": "from pathlib import Path", "Counter": "from collections import Counter", "defaultdict": "from collections import defaultdict",
	"sns": "import seaborn as sns", "stats": "from scipy import stats", "mpl": "import matplotlib as mpl", "sm": "import statsmodels.api as sm",
	"mdates": "import matplotlib.dates as mdates", "mticker": "import matplotlib.ticker as mticker", "itertools": "import itertools",
	"statistics": "import statistics", "warnings": "import warnings", "textwrap": "import textwrap", "timezone": "from datetime import timezone",
}

func importable(name string) bool {
	_, ok := imports[name]
	return ok
}
