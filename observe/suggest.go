package observe

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// The names that every program starts with, whatever it was given.
var preset = []string{"out_dir", "pd", "np", "plt"}

// What models misspell most among Python's own names and pandas' methods.
var (
	builtins = []string{
		"print", "len", "range", "sum", "min", "max", "sorted", "list", "dict", "set", "tuple", "str", "int", "float", "bool",
		"enumerate", "zip", "round", "abs", "isinstance", "open", "True", "False", "None", "display", "reversed", "type",
	}
	methods = []string{
		"groupby", "sort_values", "sort_index", "value_counts", "reset_index", "set_index", "describe", "head", "tail", "info",
		"dropna", "fillna", "isna", "notna", "isnull", "notnull", "merge", "join", "pivot", "pivot_table", "melt", "stack",
		"unstack", "agg", "aggregate", "apply", "map", "transform", "mean", "median", "sum", "count", "min", "max", "std", "var",
		"quantile", "corr", "cumsum", "pct_change", "shift", "rolling", "resample", "astype", "rename", "drop", "drop_duplicates",
		"duplicated", "nunique", "unique", "nlargest", "nsmallest", "idxmax", "idxmin", "plot", "hist", "boxplot", "to_csv",
		"to_excel", "to_dict", "to_list", "tolist", "to_frame", "to_numpy", "to_markdown", "iterrows", "itertuples", "items",
		"columns", "index", "values", "shape", "dtypes", "dtype", "size", "empty", "iloc", "loc", "between", "isin", "clip",
		"rank", "diff", "interpolate", "replace", "select_dtypes", "copy", "query", "assign", "sample", "first", "last",
	}
)

// importNames are the modules of distributions that go by another name.
var importNames = map[string]string{
	"scikit-learn": "sklearn", "pillow": "PIL", "python-dateutil": "dateutil", "matplotlib-inline": "matplotlib_inline",
	"opencv-python": "cv2", "beautifulsoup4": "bs4", "pyyaml": "yaml", "ipython": "IPython", "fonttools": "fontTools",
}

// misspelt are the classes of which Python's own suggestion is told: for an accessor on a
// wrong column (.dt) it names another (.at).
var misspelt = []class{className, classColumn, classAttribute, classImport}

// didYouMean lists at most three names of the kind that was missing.
func (o *observer) didYouMean(f fault) []string {
	var names []string
	switch f.class {
	case classColumn:
		names = closestOfAll(f.names, f.columns)
	case classTable:
		names = closest(f.name, o.keys())
	case classAttribute:
		if onTable(f.message) {
			names = closest(f.name, methods)
		}
	case className:
		if importable(f.name) {
			return nil // it is an import that is missing, not another name
		}
		names = closest(f.name, o.variables(f))
	case classModule:
		if f.kind == "ModuleNotFoundError" {
			names = closest(f.name, o.modules())
		}
	case classFile:
		for _, n := range closest(path.Base(f.name), o.in.Inputs) {
			names = append(names, inputPath(n))
		}
	}
	if said, ok := between(f.trace, "Did you mean: '", "'"); ok && len(names) == 0 && identifierName(said) && slices.Contains(misspelt, f.class) {
		names = []string{said}
	}
	for i := range names {
		names[i] = o.name(names[i])
	}
	return names
}

// variables are the names that code could have meant: tables, what is preset,
// what the code around the failure names, and Python's own.
func (o *observer) variables(f fault) []string {
	names := slices.Clone(preset)
	if o.given() {
		names = append(names, "df", "dfs")
	}
	for _, t := range o.tables() {
		names = append(names, t.Name)
	}
	code, _, called := caller(head(o.in.Result.Error.Excerpt, maxScanned))
	for _, w := range strings.FieldsFunc(code+"\n"+called, func(r rune) bool { return !identifier(r) }) {
		if len(names) < maxCandidates && !unicode.IsDigit(rune(w[0])) && !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	names = append(names, builtins...)
	return slices.DeleteFunc(names, func(n string) bool { return n == f.name })
}

func (o *observer) modules() []string {
	names := make([]string, 0, len(o.in.Packages))
	for _, p := range o.in.Packages {
		names = append(names, Module(p.Name))
	}
	return names
}

// Module returns the name under which code imports a distribution.
func Module(distribution string) string {
	if m, ok := importNames[strings.ToLower(distribution)]; ok {
		return m
	}
	return strings.ReplaceAll(distribution, "-", "_")
}

func identifierName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return !identifier(r) })
}

// name bounds a name that came out of the sandbox.
func (o *observer) name(s string) string { return cutEnd(o.mask(oneLine(s)), maxName) }

func inputPath(name string) string { return "/workspace/input/" + name }
