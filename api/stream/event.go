package stream

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Event is one event as it goes over the line.
type Event struct {
	ID   uint64 // grows by one within a stream, from 1
	Kind string // one of our own words
	Data []byte // JSON, without line breaks
}

// The kinds of the events of an execution that are not cellwall.EventKind.
const (
	KindWarning = "warning"
	KindCall    = "call"
	KindDone    = "done"
	KindProblem = "problem"
)

// append adds the event to b in the form of the line. JSON has line breaks
// only between tokens, where they mean nothing.
func (e Event) append(b []byte) []byte {
	return append(append(e.begin(b), e.line()...), "\n\n"...)
}

// begin adds what stands before the data.
func (e Event) begin(b []byte) []byte {
	b = append(b, "id: "...)
	b = strconv.AppendUint(b, e.ID, 10)
	b = append(b, "\nevent: "...)
	b = append(b, e.Kind...)
	return append(b, "\ndata: "...)
}

// line is the data, as one line.
func (e Event) line() []byte {
	if bytes.ContainsAny(e.Data, "\r\n") {
		return oneLine(e.Data)
	}
	return e.Data
}

// oneLine takes the line breaks out of JSON, so that whatever a sandbox put into
// it stays the data of one event.
func oneLine(data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) == nil {
		return b.Bytes()
	}
	quoted, _ := json.Marshal(string(data)) // a string always can be
	return quoted
}
