package dataset

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the length of a file's name, in bytes. Numbers for twins included
// it stays below the 255 that file systems allow.
const MaxName = 200

// SafeName makes a name that can stand below /workspace/input from any string.
// A name that is safe stays as it is.
func SafeName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimSpace(shorten(strings.TrimSpace(name)))
	if strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}

// shorten cuts a long name before its ending, which says how it is read.
func shorten(name string) string {
	if len(name) <= MaxName {
		return name
	}
	stem, ending := splitName(name)
	if len(ending) > MaxName/4 {
		stem, ending = name, ""
	}
	stem = stem[:MaxName-len(ending)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return stem + ending
}

// splitName splits a name before its ending; ".gz" takes the one before along.
func splitName(name string) (stem, ending string) {
	ending = filepath.Ext(name)
	stem = strings.TrimSuffix(name, ending)
	if strings.EqualFold(ending, ".gz") {
		inner := filepath.Ext(stem)
		stem, ending = strings.TrimSuffix(stem, inner), inner+ending
	}
	if stem == "" {
		return name, ""
	}
	return stem, ending
}

// Names makes the names of one execution's inputs differ.
type Names map[string]bool

// Take returns name, or name with the next free number before its ending.
func (n Names) Take(name string) string {
	stem, ending := splitName(name)
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s_%d%s", stem, i, ending)
	}
	n[name] = true
	return name
}
