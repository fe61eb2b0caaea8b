package agent

import (
	"context"
	"encoding/json"

	"github.com/cellwall/cellwall/tools"
)

// The roles of a message.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one turn of the conversation.
type Message struct {
	Role  string `json:"role"`
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"` // of an assistant
	Call  string `json:"call,omitempty"`  // id of the call that a tool's message answers
}

// size is about how many tokens a message is.
func (m Message) size() int {
	n := tools.Tokens(m.Text)
	for _, c := range m.Calls {
		n += tools.Tokens(c.Arguments)
	}
	return n
}

// Call is a tool call as the model wrote it: nothing of it is checked yet.
type Call struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// Asked is one request to a model.
type Asked struct {
	Messages []Message
	Tools    []tools.Tool // none = it must not call any
}

// Reply is what a model said.
type Reply struct {
	Message
	Tokens int  `json:"tokens,omitempty"` // of request and reply together; 0 = it did not say
	Cut    bool `json:"cut,omitempty"`    // it met the model's own limit of tokens
}

// Model completes a conversation. heard is told text as it comes.
type Model interface {
	Complete(ctx context.Context, asked Asked, heard func(text string)) (Reply, error)
}

// mostTokens bounds what an endpoint can say that one exchange cost.
const mostTokens = 1 << 40

// tokens is what an exchange cost, estimated when nobody says.
func (r Reply) tokens(asked Asked) int {
	if r.Tokens > 0 {
		return min(r.Tokens, mostTokens)
	}
	n := r.size()
	for _, m := range asked.Messages {
		n += m.size()
	}
	for _, t := range asked.Tools {
		n += tools.Tokens(t.Description) + tools.Tokens(string(t.Schema))
	}
	return n
}

// same tells whether two calls ask for one thing, however they are spaced.
func (c Call) same(d Call) bool {
	if c.Tool != d.Tool {
		return false
	}
	var a, b any
	if json.Unmarshal([]byte(c.Arguments), &a) != nil || json.Unmarshal([]byte(d.Arguments), &b) != nil {
		return c.Arguments == d.Arguments
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
