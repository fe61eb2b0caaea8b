package observe

import "strings"

// removedNames maps what current pandas and numpy no longer have, and models
// still write, to what took its place. Keys are "owner.name", the owner as the
// message of the AttributeError has it, or the words of the message itself.
var removedNames = map[string]string{
	"DataFrame.append":    "pd.concat([a, b], ignore_index=True)",
	"Series.append":       "pd.concat([a, b])",
	"DataFrame.ix":        ".loc / .iloc",
	"Series.ix":           ".loc / .iloc",
	"DataFrame.iteritems": ".items()",
	"Series.iteritems":    ".items()",
	"DataFrame.applymap":  ".map(f)",
	"DataFrame.mad":       "(t - t.mean()).abs().mean()",
	"Series.mad":          "(s - s.mean()).abs().mean()",
	"DataFrame.lookup":    ".melt() / .loc",
	"DataFrame.swapaxes":  ".T",
	"DataFrame.pad":       ".ffill()",
	"DataFrame.backfill":  ".bfill()",
	"pandas.datetime":     "import datetime / pd.Timestamp",
	"pandas.np":           "import numpy as np",
	"pandas.Panel":        "a DataFrame with a MultiIndex",
	"pandas.Int64Index":   "pd.Index(values, dtype='int64')",
	"pandas.Float64Index": "pd.Index(values, dtype='float64')",
	"numpy.float":         "float / np.float64",
	"numpy.int":           "int / np.int64",
	"numpy.bool":          "bool / np.bool_",
	"numpy.object":        "object",
	"numpy.str":           "str",
	"numpy.float_":        "np.float64",
	"numpy.NaN":           "np.nan",
	"numpy.NAN":           "np.nan",
	"numpy.Inf":           "np.inf",
	"numpy.Infinity":      "np.inf",
	"numpy.product":       "np.prod",
	"numpy.cumproduct":    "np.cumprod",
	"numpy.sometrue":      "np.any",
	"numpy.alltrue":       "np.all",
	"numpy.trapz":         "np.trapezoid",
	"numpy.in1d":          "np.isin",
	"numpy.row_stack":     "np.vstack",
}

// removedArguments maps what the message of a TypeError or ValueError says to
// what took the place of an argument.
var removedArguments = []struct{ text, instead string }{
	{"fillna() got an unexpected keyword argument 'method'", ".ffill() / .bfill()"},
	{"unexpected keyword argument 'line_terminator'", "lineterminator="},
	{"unexpected keyword argument 'error_bad_lines'", "on_bad_lines='skip'"},
	{"unexpected keyword argument 'infer_datetime_format'", "pd.to_datetime(s, format='mixed')"},
	{"unexpected keyword argument 'squeeze'", ".squeeze('columns')"},
	{"unexpected keyword argument 'delim_whitespace'", `sep=r"\s+"`},
	{"unexpected keyword argument 'use_inf_as_na'", ".replace([np.inf, -np.inf], np.nan)"},
	{"groupby() got an unexpected keyword argument 'axis'", ".T.groupby(…)"},
}

// replacement returns what to write instead of something that was removed.
func replacement(f fault) (string, bool) {
	if f.kind == "AttributeError" {
		if said, ok := between(f.message, "was removed in the NumPy 2.0 release. Use `", "`"); ok {
			return said, true
		}
		if instead, ok := removedNames[ownerOf(f.message)+"."+f.name]; ok {
			return instead, true
		}
		return between(f.message, "was a deprecated alias for the builtin `", "`")
	}
	for _, r := range removedArguments {
		if strings.Contains(f.message, r.text) {
			return r.instead, true
		}
	}
	return "", false
}

// ownerOf returns the type or module that lacks an attribute.
func ownerOf(message string) string {
	if rest, ok := between(message, "module '", "'"); ok {
		return rest
	}
	return firstQuoted(message)
}
