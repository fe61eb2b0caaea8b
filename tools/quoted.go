package tools

import (
	"encoding/json"
	"regexp"
	"strings"
)

// quoted writes text of a file as one JSON string: no line of it can begin where
// a line of the prompt does.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(cut(s, 200)); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plainWord is what a type or a kind looks like, as long as nobody forges one.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_\[\], .:<>-]{1,48}$`)

// bare leaves a plain word as it is, and quotes whatever else a sandbox said.
func bare(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return quoted(s)
}

// stem is the name in dfs of the table that a file holds.
func stem(file string) string {
	if at := strings.IndexByte(file, '.'); at > 0 {
		return file[:at]
	}
	return file
}
