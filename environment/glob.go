package environment

import (
	"fmt"
	"path"
	"strings"
)

// globs match paths: each element by path.Match, "**" any number of
// directories. A path is also matched by a match of one of its parents.
type globs [][]string

// parseGlobs refuses patterns that path.Match would.
func parseGlobs(patterns []string) (globs, error) {
	var g globs
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" || p[0] == '/' {
			return nil, fmt.Errorf("parse glob %q: it must be a valid pattern relative to the root", p)
		}
		g = append(g, strings.Split(p, "/"))
	}
	return g, nil
}

func (g globs) match(rel string) bool {
	elems := strings.Split(rel, "/")
	for _, pattern := range g {
		if matchPrefix(pattern, elems) {
			return true
		}
	}
	return false
}

// matchPrefix reports whether pattern matches elems or a leading part of it.
func matchPrefix(pattern, elems []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for i := range len(elems) + 1 {
			if matchPrefix(pattern[1:], elems[i:]) {
				return true
			}
		}
		return false
	}
	if len(elems) == 0 {
		return false
	}
	ok, _ := path.Match(pattern[0], elems[0]) // parseGlobs saw that it is valid
	return ok && matchPrefix(pattern[1:], elems[1:])
}
