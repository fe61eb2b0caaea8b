package notebook

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The types of outputs.
const (
	Stream  = "stream"
	Result  = "execute_result" // the value of the last expression
	Display = "display_data"
	Failure = "error"
)

// Output is something that a cell left to see.
type Output struct {
	Type string

	Name string // of Stream: stdout or stderr
	Text string // of Stream

	Count int                        // of Result
	Data  map[string]json.RawMessage // of Result and Display: MIME type to text, or to JSON where the type is JSON

	ErrorName, ErrorValue string // of Failure
	Traceback             []string
}

// wire is an output in all its forms.
type wire struct {
	Type      string          `json:"output_type"`
	Name      string          `json:"name"`
	Text      text            `json:"text"`
	Count     *int            `json:"execution_count"`
	Data      fields          `json:"data"`
	Metadata  json.RawMessage `json:"metadata"`
	EName     string          `json:"ename"`
	EValue    string          `json:"evalue"`
	Traceback []string        `json:"traceback"`
}

// UnmarshalJSON reads an output. Texts of its data become one string each.
func (o *Output) UnmarshalJSON(raw []byte) error {
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	*o = Output{Type: w.Type, Name: w.Name, Text: string(w.Text), ErrorName: w.EName, ErrorValue: w.EValue, Traceback: w.Traceback}
	if w.Count != nil {
		o.Count = *w.Count
	}
	switch w.Type {
	case Stream, Failure:
	case Result, Display:
		o.Data = map[string]json.RawMessage{}
		for mime, content := range w.Data {
			var s text
			var whole any = content // without its indentation
			if !isJSON(mime) && json.Unmarshal(content, &s) == nil {
				whole = string(s)
			}
			compact, err := marshal(whole)
			if err != nil {
				return err
			}
			o.Data[mime] = compact
		}
	default:
		return fmt.Errorf("%.40q is no type of output", w.Type)
	}
	return nil
}

// MarshalJSON writes the fields that the type has.
func (o Output) MarshalJSON() ([]byte, error) {
	all := map[string]any{"output_type": o.Type}
	switch o.Type {
	case Stream:
		all["name"], all["text"] = o.Name, text(o.Text)
	case Failure:
		all["ename"], all["evalue"], all["traceback"] = o.ErrorName, o.ErrorValue, append([]string{}, o.Traceback...)
	case Result, Display:
		data := map[string]any{}
		for mime, content := range o.Data {
			var s string
			switch {
			case isJSON(mime):
				data[mime] = content
			case json.Unmarshal(content, &s) == nil && strings.HasPrefix(mime, "image/") && mime != "image/svg+xml":
				data[mime] = s // base64 is one line
			case json.Unmarshal(content, &s) == nil:
				data[mime] = text(s)
			}
		}
		all["data"], all["metadata"] = data, struct{}{}
		if o.Type == Result {
			all["execution_count"] = nullable(o.Count)
		}
	}
	return marshal(all)
}

// isJSON reports whether content of a type is JSON and no text.
func isJSON(mime string) bool { return mime == "application/json" || strings.HasSuffix(mime, "+json") }
