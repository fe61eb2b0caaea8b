package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// What guest and host say of calls, see "Calls" in the package's documentation.

// Tool is a function of the host that code may call as tools.<name>.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// Call asks the host for something. Whoever speaks on the channel may send one: it is
// held to the schema by the host, never by the driver.
type Call struct {
	ID        uint64          `json:"id"` // 1, 2, 3 … of a run
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object
}

// The kinds of Reply.
const (
	ReplyJSON  = "json"
	ReplyTable = "table"
	ReplyError = "error"
)

// Reply answers one Call.
type Reply struct {
	ID      uint64          `json:"id"`
	Kind    string          `json:"kind"`
	Failure string          `json:"failure"` // of an error: which one
	Message string          `json:"message"`
	Result  json.RawMessage `json:"-"` // "result"; null of an error
}

// Encode is the payload of a reply. It fails, with nothing sent yet, when the result is
// no JSON that every reader reads alike, is nested deeper than MaxDepth-1, or larger than
// a frame.
func (r Reply) Encode() ([]byte, error) {
	if r.Result == nil {
		r.Result = json.RawMessage("null")
	}
	deepest, _ := measure(r.Result, 0)
	switch {
	case len(r.Result) > MaxFrame-MaxCall:
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(r.Result), MaxFrame-MaxCall)
	case !utf8.Valid(r.Result):
		return nil, errors.New("it is not UTF-8")
	case !json.Valid(r.Result):
		return nil, errors.New("it is not JSON")
	case deepest >= MaxDepth:
		return nil, fmt.Errorf("it is nested deeper than %d", MaxDepth-1)
	}
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	payload := make([]byte, 0, len(head)+len(r.Result)+len(`,"result":`))
	payload = append(payload, head[:len(head)-1]...)
	payload = append(payload, `,"result":`...)
	payload = append(payload, r.Result...) // checked above: nothing of it can end the document
	return append(payload, '}'), nil
}

// DecodeCall decodes a call strictly: its bounds, an object for arguments, and the
// number that comes next.
func DecodeCall(payload []byte, next uint64) (Call, error) {
	var call Call
	if len(payload) > MaxCall {
		return call, fmt.Errorf("%w: a call of %d bytes", ErrProtocol, len(payload))
	}
	if err := Decode(payload, &call); err != nil {
		return call, err
	}
	switch arguments := bytes.TrimSpace(call.Arguments); {
	case call.ID != next:
		return call, fmt.Errorf("%w: call %d comes as call %d", ErrProtocol, call.ID, next)
	case len(arguments) == 0 || arguments[0] != '{':
		return call, fmt.Errorf("%w: the arguments of a call are no object", ErrProtocol)
	}
	return call, nil
}
