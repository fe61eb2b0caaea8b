package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// Outline is what a program holds, by the grammar of an environment's own
// interpreter. A checker said it that had just read hostile text: it is bounded,
// and nothing in it is believed beyond its own program.
//
// The maps have the first line, from 1, of each text.
type Outline struct {
	Said     string `json:"said"` // the parser's error with file and line, "" when the text is plain Python
	Line     int    `json:"line"` // of it
	Notebook bool   `json:"notebook"`
	Cut      bool   `json:"cut"` // the program holds more than is told here

	Imports    []Import       `json:"imports"`    // in the order of lines
	Names      map[string]int `json:"names"`      // read, bound or deleted, and imported by from
	Attributes map[string]int `json:"attributes"` // after a dot
	Calls      map[string]int `json:"calls"`      // dotted, "pd.read_csv"
	Strings    map[string]int `json:"strings"`    // that the text does not show as they are: escaped, or put together by +
}

// Import is one module of an import statement.
type Import struct {
	Module string `json:"module"` // dotted, without leading dots
	Line   int    `json:"line"`
	From   bool   `json:"from"` // from Module import …
}

// Bounds of an outline.
const (
	MaxOutline = 2 << 20 // bytes
	maxEntries = 2_000   // of each kind
	maxText    = 256     // bytes of one text
	maxLine    = cellwall.MaxCodeBytes + 1
)

// Decode reads an outline that came out of a sandbox. It fails on whatever the
// checker would not have sent.
func Decode(raw []byte) (o Outline, err error) {
	if len(raw) > MaxOutline {
		return o, fmt.Errorf("read outline: %d bytes are more than %d", len(raw), MaxOutline)
	}
	if !utf8.Valid(raw) {
		return o, errors.New("read outline: it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return Outline{}, fmt.Errorf("read outline: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Outline{}, errors.New("read outline: bytes after it")
	}
	if err := o.check(); err != nil {
		return Outline{}, fmt.Errorf("read outline: %w", err)
	}
	return o, nil
}

func (o Outline) check() error {
	if err := entry(o.Said, o.Line); err != nil {
		return err
	}
	if len(o.Imports) > maxEntries {
		return fmt.Errorf("%d imports are more than %d", len(o.Imports), maxEntries)
	}
	for _, i := range o.Imports {
		if err := entry(i.Module, i.Line); err != nil {
			return err
		}
	}
	for _, kind := range []map[string]int{o.Names, o.Attributes, o.Calls, o.Strings} {
		if len(kind) > maxEntries {
			return fmt.Errorf("%d entries are more than %d", len(kind), maxEntries)
		}
		for text, line := range kind {
			if err := entry(text, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func entry(text string, line int) error {
	if len(text) > maxText {
		return fmt.Errorf("a text of %d bytes is longer than %d", len(text), maxText)
	}
	if line < 0 || line > maxLine {
		return fmt.Errorf("there is no line %d", line)
	}
	return nil
}
