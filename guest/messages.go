package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Hello is the first frame of a guest whose wall stands.
type Hello struct {
	Protocol int      `json:"protocol"`
	Driver   string   `json:"driver"`
	Language string   `json:"language"`
	Features []string `json:"features"`
}

// SetupFailed says which step of the wall failed.
type SetupFailed struct {
	Step  string `json:"step"`
	Errno int    `json:"errno"`
	Text  string `json:"text"`
}

// Run is the only frame that carries what a user or model wrote.
type Run struct {
	Execution string            `json:"execution"`
	Source    string            `json:"source"`
	File      string            `json:"file"`
	Inputs    []string          `json:"inputs"` // names below /workspace/input, first is df
	Rows      int               `json:"rows"`   // row limit
	Sample    string            `json:"sample"` // "random" or "head"
	Describe  bool              `json:"describe"`
	Export    bool              `json:"export"` // with Describe: write a template to /workspace/output/template
	Env       map[string]string `json:"env"`
	Tools     []Tool            `json:"tools,omitempty"` // that the code may call

	Own *Own `json:"own,omitempty"` // a program of ours; absent = anybody's

	Restrict json.RawMessage `json:"restrict,omitempty"` // a cellwall.Restriction; absent = none. See driver/_cellwall/restricted.py
}

// Own is what a program of ours is told: it finds its tables in sources, and large
// files are read as far as it asks for.
type Own struct {
	Memory int64 `json:"memory"` // of the sandbox, bytes; 0 = not known
}

// Value is one displayed value: MIME type to content.
type Value struct {
	IsMainResult bool                       `json:"is_main_result"`
	Data         map[string]json.RawMessage `json:"data"`
}

// Error is the exception that ended the code.
type Error struct {
	Type      string `json:"type"`
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Traceback string `json:"traceback"`
	Excerpt   string `json:"excerpt"`
	Name      string `json:"name"`
}

// Table is a table that lived in the code's namespace when it failed.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	DTypes  []string `json:"dtypes"`
	Rows    int64    `json:"rows"`
}

// Notice is something worth a warning, as code and arguments; its words are
// chosen outside, in the caller's language.
type Notice struct {
	Code string            `json:"code"`
	Args map[string]string `json:"args"`
}

// Done is the driver's own word that the code ended.
type Done struct {
	Execution string `json:"execution"`
	OK        bool   `json:"ok"`
}

// Decode decodes a payload strictly into v: one JSON value in valid UTF-8, no
// unknown field, bounded depth, nothing after it, and few members where each of
// them costs far more in Go than in JSON.
func Decode(payload []byte, v any) error {
	if !utf8.Valid(payload) {
		return fmt.Errorf("%w: payload is not UTF-8", ErrProtocol)
	}
	level, most := costly(v)
	deepest, members := measure(payload, level)
	if deepest > MaxDepth {
		return fmt.Errorf("%w: payload is nested deeper than %d", ErrProtocol, MaxDepth)
	}
	if members > most {
		return fmt.Errorf("%w: payload has %d members, more than %d", ErrProtocol, members, most)
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %s", ErrProtocol, err.Error()) // its end is not that of the channel
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: bytes after the payload", ErrProtocol)
	}
	return nil
}

// costly returns how deep the members lie that a message may have few of, the
// keys of a map, the structs of a list, and how many those are. Level 0 means
// none.
func costly(v any) (level, most int) {
	switch v.(type) {
	case *Value, *Notice, *Standing, *Up, *Written:
		return 2, MaxMembers
	case *Answer:
		return 2, MaxAnswers
	case *[]Table, *[]json.RawMessage:
		return 1, MaxMembers
	}
	return 0, MaxMembers
}

// measure counts how deep brackets nest outside of strings, and how many
// members there are at one level.
func measure(b []byte, level int) (deepest, members int) {
	now, commas, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		case c == ',' && now == level:
			commas++
		}
	}
	return deepest, commas + 1
}
