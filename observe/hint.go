package observe

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cellwall/cellwall"
)

// hint is the way forward for a failure.
func (o *observer) hint(f fault) string {
	c := f.class
	if c == className && importable(f.name) {
		return o.say(importFirst, "statement", imports[f.name])
	}
	p, ok := o.hintsOf(c)
	if !ok {
		p = hints[classOther]
	}
	return o.say(p, o.facts(f)...)
}

// facts are the values that a phrase about a failure may name.
func (o *observer) facts(f fault) []string {
	l := o.limits
	instead, _ := replacement(f)
	table := "df"
	if f.table.Name != "" {
		table = f.table.Name
	}
	return []string{
		"name", named(f),
		"value", failingValue(f),
		"table", table,
		"place", o.place(f),
		"instead", instead,
		"timeout", seconds(l.Timeout),
		"memory", size(l.MemoryBytes),
		"processes", strconv.Itoa(l.Processes),
		"workspace", size(l.WorkspaceBytes),
		"workspace_files", grouped(l.WorkspaceInodes),
		"tmp", size(l.TmpBytes),
		"tmp_files", grouped(l.TmpInodes),
		"output", size(l.OutputBytes),
		"rows", grouped(int64(l.Rows)),
		"inputs", o.inputList(),
		"packages", o.packageList(),
		"signal", detail(o.in.Result.Cause),
		"exit", exitOf(o.in.Result.Cause, f),
		"calls", o.refusedCalls(),
		"rules", o.rules(),
	}
}

// place is the path that a failure is about, in words when none is known.
func (o *observer) place(f fault) string {
	if p := place(f); p != "" {
		return quoted(p)
	}
	return o.say(thisPlace)
}

// named is what was missing, or the message when it does not say.
func named(f fault) string {
	if f.name == "" {
		return cutEnd(f.message, maxName)
	}
	return cutEnd(f.name, maxName)
}

// failingValue is the text that could not be read as a date or number.
func failingValue(f fault) string {
	if v, ok := between(f.message, "time data \"", "\""); ok {
		return v
	}
	if v, ok := between(f.message, "time data '", "'"); ok {
		return v
	}
	if v, ok := between(f.message, "unable to parse: ", ", at position"); ok {
		return v
	}
	if v, ok := between(f.message, "Unable to parse string \"", "\""); ok {
		return v
	}
	return lastQuoted(f.message)
}

// separated reports whether a value is a number in a person's writing.
func separated(value string) bool {
	return strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsAny(value, ",，%％$€£¥￥円元 '’()万亿")
}

// inputList names the real input files.
func (o *observer) inputList() string {
	if len(o.in.Inputs) == 0 {
		return o.say(noInputs)
	}
	paths := make([]string, 0, len(o.in.Inputs))
	for _, n := range o.in.Inputs[:min(len(o.in.Inputs), 10)] {
		paths = append(paths, quoted(inputPath(cutEnd(oneLine(n), maxName))))
	}
	return o.list(paths, 5)
}

// wellKnown are the packages named first when not all fit into a hint.
var wellKnown = []string{
	"pandas", "numpy", "matplotlib", "scipy", "statsmodels", "scikit-learn", "seaborn", "openpyxl", "duckdb", "pyarrow", "fastparquet", "pillow",
}

// packageList names what is installed, the well known first, without versions.
func (o *observer) packageList() string {
	var names []string
	for _, w := range wellKnown {
		if slices.ContainsFunc(o.in.Packages, func(p cellwall.Package) bool { return strings.EqualFold(p.Name, w) }) {
			names = append(names, w)
		}
	}
	for _, p := range o.in.Packages {
		if !slices.Contains(names, strings.ToLower(p.Name)) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		names = []string{"pandas", "numpy", "matplotlib"} // every environment has them
	}
	return o.list(names, 16)
}

// refusedCalls names the system calls that the wall refused, and how often.
func (o *observer) refusedCalls() string {
	var calls []string
	for _, r := range o.in.Refused[:min(len(o.in.Refused), 6)] {
		call := cutEnd(oneLine(r.Call), maxName)
		if r.Count > 1 {
			call += " × " + grouped(r.Count)
		}
		calls = append(calls, call)
	}
	return o.list(calls, 5)
}

// rules names the rules of the findings.
func (o *observer) rules() string {
	var names []string
	for _, f := range o.refusals() {
		if !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	return o.list(names, 5)
}

// detail returns what stands after the colon of "signal:SIGSEGV", or all when
// nothing does.
func detail(c cellwall.Cause) string {
	if _, after, ok := strings.Cut(string(c), ":"); ok {
		return after
	}
	return string(c)
}

// exitOf says with which status the interpreter left.
func exitOf(c cellwall.Cause, f fault) string {
	switch status, ok := strings.CutPrefix(string(c), string(cellwall.CauseExit)+":"); {
	case ok:
		return "exit status " + status
	case f.kind == "SystemExit":
		return "sys.exit(" + quoted(f.message) + ")"
	}
	return "exit"
}

// seconds writes a duration as people say it: 8 s, 2.5 s.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// amount writes a count, milliseconds or a cost, at most two places behind the
// point.
func amount(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// size writes bytes in the largest unit that divides them well.
func size(n int64) string {
	switch {
	case n >= cellwall.GiB && n%cellwall.GiB == 0:
		return strconv.FormatInt(n/cellwall.GiB, 10) + " GiB"
	case n >= cellwall.MiB:
		return strconv.FormatInt(n/cellwall.MiB, 10) + " MiB"
	case n >= cellwall.KiB:
		return strconv.FormatInt(n/cellwall.KiB, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
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
