package observe

import (
	"strings"

	"github.com/cellwall/cellwall"
)

// missingName is the name that the exception missed: the driver's word, else
// taken from the message.
func missingName(e cellwall.ExecutionError, kind string) string {
	if e.Name != "" {
		return e.Name
	}
	m := head(e.Message, maxScanned)
	switch kind {
	case "KeyError":
		if name, ok := strings.CutPrefix(m, "Column not found: "); ok {
			return unquoted(name)
		}
		if name, ok := between(m, "Column not found: ", ""); ok {
			return strings.Trim(name, `'"`)
		}
		if name, ok := between(m, "[", "] not in index"); ok {
			return firstQuoted(name)
		}
		if name, ok := between(m, "[Index([", "]"); ok {
			return firstQuoted(name)
		}
		if name, ok := between(m, "[", "] not found in axis"); ok {
			return firstQuoted(name)
		}
		return unquoted(m)
	case "AttributeError":
		return lastQuoted(m)
	case "FileNotFoundError", "IsADirectoryError", "PermissionError":
		return lastQuoted(m)
	case "ModuleNotFoundError", "ImportError", "NameError", "UnboundLocalError", "UndefinedVariableError":
		return firstQuoted(m)
	case "ValueError":
		if name, ok := between(m, "not found: [", "]"); ok {
			return firstQuoted(name)
		}
		if name, ok := between(m, "Could not interpret value `", "`"); ok {
			return name
		}
		if name, ok := between(m, "Missing column provided to ", ""); ok {
			return lastQuoted(name)
		}
	}
	return ""
}

// between returns what stands between two marks; an empty second mark is the
// end.
func between(s, from, to string) (string, bool) {
	_, rest, ok := strings.Cut(s, from)
	if !ok || to == "" {
		return rest, ok
	}
	name, _, ok := strings.Cut(rest, to)
	return name, ok
}

func firstQuoted(s string) string {
	for i, c := range s {
		if c == '\'' || c == '"' {
			if name, _, ok := strings.Cut(s[i+1:], string(c)); ok {
				return name
			}
		}
	}
	return ""
}

func lastQuoted(s string) string {
	end := strings.LastIndexAny(s, `'"`)
	if end <= 0 {
		return ""
	}
	start := strings.LastIndexByte(s[:end], s[end])
	if start < 0 {
		return ""
	}
	return s[start+1 : end]
}

func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
