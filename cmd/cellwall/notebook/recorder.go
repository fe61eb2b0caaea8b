package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// Bounds of what one cell may leave in a document. The rest is counted.
const (
	maxText    = 1 << 20 // bytes of its streams
	maxData    = 32 << 20
	maxOutputs = 500
)

// Recorder keeps the outputs of one cell. The zero value is ready; one serves
// one cell.
type Recorder struct {
	outputs []Output
	text    int
	data    int
	left    int // bytes of streams, and values, that were left out
	failed  bool
}

// Sink is the cellwall.Sink of the cell.
func (r *Recorder) Sink(_ context.Context, e cellwall.Event) error {
	switch e.Kind {
	case cellwall.EventStdout:
		r.stream("stdout", e.Data)
	case cellwall.EventStderr:
		r.stream("stderr", e.Data)
	case cellwall.EventResult:
		r.value(e.Rich)
	case cellwall.EventError:
		var failure cellwall.ExecutionError
		if json.Unmarshal(e.Data, &failure) == nil {
			r.fail(failure.Type, failure.Message, lines(failure.Traceback))
		}
	}
	return nil
}

// stream appends to the last output when it is of the same stream.
func (r *Recorder) stream(name string, data []byte) {
	keep := data[:min(len(data), maxText-r.text)]
	r.left += len(data) - len(keep)
	r.text += len(keep)
	if len(keep) == 0 {
		return
	}
	if n := len(r.outputs); n > 0 && r.outputs[n-1].Type == Stream && r.outputs[n-1].Name == name {
		r.outputs[n-1].Text += string(keep)
		return
	}
	r.add(Output{Type: Stream, Name: name, Text: string(keep)})
}

func (r *Recorder) value(rich *cellwall.Rich) {
	if rich == nil {
		return
	}
	size := 0
	for mime, content := range rich.Data {
		size += len(mime) + len(content)
	}
	if r.data+size > maxData {
		r.left += size
		return
	}
	r.data += size
	o := Output{Type: Display, Data: map[string]json.RawMessage{}}
	if rich.IsMainResult {
		o.Type = Result
	}
	for mime, content := range rich.Data {
		o.Data[mime] = slices.Clone(content)
	}
	r.add(o)
}

func (r *Recorder) fail(name, value string, traceback []string) {
	for i := range traceback {
		traceback[i] = strings.TrimSuffix(traceback[i], "\n")
	}
	r.failed = true
	r.add(Output{Type: Failure, ErrorName: name, ErrorValue: value, Traceback: traceback})
}

func (r *Recorder) add(o Output) {
	if len(r.outputs) >= maxOutputs {
		r.left++
		return
	}
	r.outputs = append(r.outputs, o)
}

// Outputs are those of the cell, which ended with result and has the number
// count. A cell that was killed has its cause as its error.
func (r *Recorder) Outputs(result *cellwall.Result, count int) []Output {
	all := slices.Clone(r.outputs)
	if r.left > 0 {
		all = append(all, Output{Type: Stream, Name: "stderr", Text: fmt.Sprintf("[%d bytes or values of output were left out]\n", r.left)})
	}
	if !result.OK && !r.failed {
		value := result.Observation.RetryHint
		if value == "" {
			value = string(result.Cause)
		}
		all = append(all, Output{Type: Failure, ErrorName: string(result.Status), ErrorValue: value})
	}
	for i := range all {
		all[i].Text = strings.ToValidUTF8(all[i].Text, "\ufffd")
		all[i].Data = maps.Clone(all[i].Data)
		if all[i].Type == Result {
			all[i].Count = count
		}
	}
	return all
}
