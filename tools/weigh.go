package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a schema that a caller wrote: what it costs to hold a value to it grows
// with the schemas that stand in each other's place, references followed.
const (
	mostSchemas  = 2000
	mostWork     = 1 << 18 // schemas, times values of the arguments
	longestDigit = 64      // of a number, in characters
	mostExponent = 400     // of a number: beyond that it is none that a float holds
)

// unheard are keywords that lead elsewhere, or give a place another name.
var unheard = []string{"$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"}

// weigher counts the schemas of a document.
type weigher struct {
	root  any
	count int
	below []string // references that are being followed
}

// weigh counts the schemas of a document, references followed. It refuses a schema that is no object's, and one that costs too much.
func weigh(root any) (int, error) {
	object, ok := root.(map[string]any)
	if !ok || object["type"] != "object" {
		return 0, errors.New(`parameters must have "type": "object"`)
	}
	w := weigher{root: root}
	if err := w.visit(root); err != nil {
		return 0, err
	}
	_, err := plainNumbers(root)
	return w.count, err
}

func (w *weigher) visit(node any) error {
	w.count++
	if w.count > mostSchemas {
		return fmt.Errorf("parameters are more than %d schemas when references are followed", mostSchemas)
	}
	switch n := node.(type) {
	case map[string]any:
		for name, value := range n {
			if _, named := value.(string); named && slices.Contains(unheard, name) {
				return fmt.Errorf("parameters must not have %q", name)
			}
			if to, ok := value.(string); ok && name == "$ref" {
				if err := w.follow(to); err != nil {
					return err
				}
				continue
			}
			if err := w.visit(value); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range n {
			if err := w.visit(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow visits what a reference names.
func (w *weigher) follow(to string) error {
	path, inside := strings.CutPrefix(to, "#/")
	switch {
	case !inside:
		return fmt.Errorf("parameters refer to %q: only #/$defs/… can be referred to", cut(to, 64))
	case slices.Contains(w.below, to):
		return fmt.Errorf("parameters refer to themselves: %q", cut(to, 64))
	}
	at := w.root
	for _, step := range strings.Split(path, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch n := at.(type) {
		case map[string]any:
			at = n[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n) {
				return fmt.Errorf("parameters refer to %q, which is not there", cut(to, 64))
			}
			at = n[i]
		default:
			return fmt.Errorf("parameters refer to %q, which is not there", cut(to, 64))
		}
	}
	w.below = append(w.below, to)
	defer func() { w.below = w.below[:len(w.below)-1] }()
	return w.visit(at)
}

// plainNumbers refuses numbers that take long to compute with: a few characters of
// exponent are a million digits. It counts the values that it saw.
func plainNumbers(value any) (count int, err error) {
	count = 1
	var inner []any
	switch v := value.(type) {
	case json.Number:
		return count, plainNumber(string(v))
	case map[string]any:
		inner = slices.Collect(maps.Values(v))
	case []any:
		inner = v
	}
	for _, one := range inner {
		n, err := plainNumbers(one)
		if err != nil {
			return count, err
		}
		count += n
	}
	return count, nil
}

func plainNumber(text string) error {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if len(text) > longestDigit || exponent != "" && (err != nil || e > mostExponent || e < -mostExponent) {
		return fmt.Errorf("%s is no number that can be computed with", cut(text, 64))
	}
	return nil
}
