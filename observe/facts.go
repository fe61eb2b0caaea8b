package observe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// facts are the values that a phrase about a failure may name; "" is one that is
// not known, or that there is not.
func (o *observer) facts(f fault) []string {
	l := o.limits
	instead, _ := replacement(f)
	written, _ := between(f.message, "is not available in this sandbox: ", "")
	accessed, held := o.accessed(f)
	table, df, present := "", "", ""
	if len(f.table.Columns) > 0 {
		table = f.table.Name
	}
	if slices.Contains(f.table.Columns, f.name) {
		present = cutEnd(f.name, maxName)
	}
	if o.given() {
		df = ours
	}
	return []string{
		"name", named(f),
		"value", failingValue(f),
		"table", table,
		"present", present,
		"own", own(f),
		"df", df,
		"keys", o.keyList(),
		"accessed", accessed,
		"held", held,
		"written", written,
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
		"printed", o.printed(),
		"loop", o.loop(f),
		"parts", o.partsOfLargest(),
		"inputs", o.inputList(),
		"packages", o.packageList(),
		"signal", o.signal(),
		"exit", exitOf(o.in.Result.Cause, f),
		"calls", o.refusedCalls(),
		"rules", o.rules(),
	}
}

// given reports whether there are inputs, so that df and dfs hold something.
func (o *observer) given() bool { return len(o.in.Inputs)+len(o.in.Datasets) > 0 }

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
