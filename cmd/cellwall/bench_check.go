package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// bars are what figures must reach.
type bars struct {
	Bars []bar `json:"bars"`
}

// bar is one figure's bound, and the one that we would like to reach.
type bar struct {
	Key     string   `json:"key"`
	Max     *float64 `json:"max,omitempty"`
	Min     *float64 `json:"min,omitempty"`
	Stretch *float64 `json:"stretch,omitempty"`
	Need    string   `json:"need,omitempty"` // what must be given for the figure to exist, e.g. "--docker"
}

// readBars reads and checks a file of bars.
func readBars(file string) (want bars, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return want, usage("read bars "+file, cause(err), "name a file such as bench/bars.json")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&want); err != nil {
		return want, usage("read bars "+file, err, "")
	}
	if len(want.Bars) == 0 {
		return want, usage("read bars "+file, errors.New("it has none"), "")
	}
	for _, b := range want.Bars {
		if b.Key == "" || (b.Max == nil) == (b.Min == nil) {
			return want, usage("read bars "+file, fmt.Errorf("bar %q needs a key and either max or min", b.Key), "")
		}
	}
	return want, nil
}

// of leaves out the bars of what was not to be measured.
func (want bars) of(http bool) bars {
	if !http {
		return want
	}
	return bars{slices.DeleteFunc(slices.Clone(want.Bars), func(b bar) bool { return !strings.HasPrefix(b.Key, "http_") })}
}

// check compares and fails below a bar. A figure that was not measured is below
// its bar.
func (want bars) check(p *program, f figures) error {
	missed := 0
	for _, b := range want.Bars {
		value, measured := f.values[b.Key]
		ok := measured && (b.Max == nil || value <= *b.Max) && (b.Min == nil || value >= *b.Min)
		if !ok {
			missed++
		}
		p.stderr.printf("%s\n", b.line(value, measured, ok))
	}
	if missed > 0 {
		p.stderr.printf("%d of %d bars missed\n", missed, len(want.Bars))
		return status(exitNotOK)
	}
	p.stderr.printf("%d bars reached\n", len(want.Bars))
	return nil
}

func (b bar) line(value float64, measured, ok bool) string {
	bound, sign := b.Max, "≤"
	if bound == nil {
		bound, sign = b.Min, "≥"
	}
	if !measured {
		return fmt.Sprintf("MISS  %-23s not measured (bar %s %g) %s", b.Key, sign, *bound, b.Need)
	}
	word := "ok  "
	if !ok {
		word = "MISS"
	}
	text := fmt.Sprintf("%s  %-23s %8.3f  bar %s %g", word, b.Key, value, sign, *bound)
	if b.Stretch == nil {
		return text
	}
	left := value / *b.Stretch
	if b.Max == nil {
		left = *b.Stretch / value
	}
	if left <= 1 {
		return text + fmt.Sprintf(", stretch %s %g reached", sign, *b.Stretch)
	}
	return text + fmt.Sprintf(", stretch %s %g: %.2f × away", sign, *b.Stretch, left)
}
