package observe

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// missingNames are the names that the exception missed, first the one it
// names first: the driver's word, else taken from the message. pandas writes
// sentences into KeyError; the names are quoted in them.
func missingNames(e cellwall.ExecutionError, kind string) []string {
	m := head(e.Message, maxScanned)
	if name := needed(m, kind); name != "" {
		return []string{name}
	}
	var names []string
	switch kind {
	case "KeyError":
		names = keys(m)
	case "ValueError":
		names = namedColumns(m)
	case "AttributeError", "FileNotFoundError", "IsADirectoryError", "PermissionError":
		names = []string{lastQuoted(m)}
	case "ModuleNotFoundError", "ImportError", "NameError", "UnboundLocalError", "UndefinedVariableError":
		names = []string{firstQuoted(m)}
		if name, ok := between(m, "`Import ", "`"); ok { // pandas 3
			names = []string{name}
		}
	}
	if e.Name != "" && kind != "KeyError" {
		names = []string{e.Name}
	}
	if len(names) == 0 || names[0] == "" {
		if e.Name == "" {
			return nil
		}
		return []string{e.Name}
	}
	return names
}

// needs matches a sentence of a library that misses another: "The '.style' accessor
// requires jinja2", "this needs the lxml package".
var needs = regexp.MustCompile("\\b(?:requires|needs) (the )?['\"`]?([A-Za-z][A-Za-z0-9_-]*)['\"`]?(\\.?$| (?:package|library|module|to be installed)\\b)")

// noNames stand where the name of a module would: "this needs a package".
var noNames = []string{"a", "an", "the", "this", "that", "any", "some", "one", "another", "other", "more", "no", "its", "your", "python"}

// needed returns the module that a library says it lacks, "" when it says nothing of
// the kind. Where neither an accessor nor an import failed, it must say as much: "needs
// the lxml package".
func needed(m, kind string) string {
	found := needs.FindStringSubmatch(m)
	if found == nil || slices.Contains(noNames, strings.ToLower(found[2])) {
		return ""
	}
	the, name, alone := found[1] != "", found[2], strings.Trim(found[3], ".") == ""
	switch kind {
	case "AttributeError", "ImportError":
		return name
	case "RuntimeError", "ValueError":
		if the && !alone {
			return name
		}
	}
	return ""
}

// keys takes the names out of the message of a KeyError.
func keys(m string) []string {
	m = unquoted(m)
	if name, ok := between(m, "Column not found: ", ""); ok {
		return []string{strings.Trim(name, `'"`)}
	}
	for _, mark := range []string{"not in index", "are in the ", "not found in axis", "do not exist", "not present in the DataFrame"} {
		if strings.Contains(m, mark) {
			return listed(m)
		}
	}
	if strings.HasPrefix(m, "['") || strings.HasPrefix(m, "[\"") {
		return listed(m)
	}
	return []string{m}
}

// namedColumns takes column names out of the message of a ValueError.
func namedColumns(m string) []string {
	if rest, ok := between(m, "columns expected but not found: ", ""); ok {
		return listed(rest)
	}
	if name, ok := between(m, "Could not interpret value `", "`"); ok {
		return []string{name}
	}
	if rest, ok := between(m, "Missing column provided to ", ""); ok {
		return []string{lastQuoted(rest)}
	}
	return nil
}

// maxMissing bounds how many missing names are looked at.
const maxMissing = 5

// listed returns the quoted names of the first list in s: ['a', 'b'].
func listed(s string) []string {
	_, list, ok := strings.Cut(s, "[")
	if i := strings.Index(s, "[Index(["); i >= 0 {
		list = s[i+len("[Index(["):]
	}
	if !ok {
		return []string{firstQuoted(s)}
	}
	var names []string
	for len(names) < maxMissing {
		list = strings.TrimLeft(list, ", ")
		if list == "" || list[0] != '\'' && list[0] != '"' {
			break
		}
		name, rest, ok := strings.Cut(list[1:], list[:1])
		if !ok {
			break
		}
		names, list = append(names, name), rest
	}
	return names
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
