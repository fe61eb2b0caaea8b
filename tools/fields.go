package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// fields lists what a schema takes at a place, in alphabetical order: the names
// for an error that tells a model what it may write.
func fields(raw json.RawMessage, at string) []string {
	type node struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	var n node
	steps := strings.FieldsFunc(at, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	for _, step := range append([]string{""}, steps...) {
		switch {
		case step == "":
		case strings.Trim(step, "0123456789") == "":
			raw = n.Items
		default:
			raw = n.Properties[step]
		}
		n = node{}
		if json.Unmarshal(raw, &n) != nil {
			return nil
		}
	}
	names := make([]string, 0, len(n.Properties))
	for name := range n.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
