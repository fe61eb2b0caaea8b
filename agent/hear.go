package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// hearing puts a reply together from the pieces in which it comes.
type hearing struct {
	heard func(string)
	reply Reply
	text  strings.Builder
	ended openai.FinishReason
}

// take takes one piece.
func (h *hearing) take(chunk openai.ChatCompletionStreamResponse) error {
	if chunk.Usage != nil {
		h.reply.Tokens = chunk.Usage.TotalTokens
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if choice.FinishReason != "" {
		h.ended = choice.FinishReason
	}
	if text := choice.Delta.Content; text != "" {
		if h.text.Len()+len(text) > maxReplyText {
			return fmt.Errorf("the reply has more than %d KiB of text", maxReplyText>>10)
		}
		h.text.WriteString(text)
		h.heard(text)
	}
	for _, part := range choice.Delta.ToolCalls {
		h.reply.Calls = gather(h.reply.Calls, part)
	}
	return nil
}

// whole is the reply, if it came to its end. Of two calls with one id, or without
// any, an answer could not say which it belongs to: they get one; before is how
// many messages there are.
func (h *hearing) whole(before int) (Reply, error) {
	if h.ended == "" {
		return Reply{}, errors.New("hear model: the reply broke off before its end")
	}
	h.reply.Text, h.reply.Cut = h.text.String(), h.ended == openai.FinishReasonLength
	h.reply.Calls = slices.DeleteFunc(h.reply.Calls, func(c Call) bool { return c == Call{} })
	seen := map[string]bool{}
	for i := range h.reply.Calls {
		c := &h.reply.Calls[i]
		if c.ID == "" || len(c.ID) > maxCallName || seen[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", before, i)
		}
		seen[c.ID] = true
	}
	return h.reply, nil
}

// gather joins the parts in which a call comes.
func gather(calls []Call, part openai.ToolCall) []Call {
	at := len(calls)
	switch {
	case part.Index != nil:
		at = *part.Index
	case part.ID == "" && at > 0:
		at-- // it goes on
	}
	if at < 0 || at >= maxReplyCalls {
		return calls
	}
	for len(calls) <= at {
		calls = append(calls, Call{})
	}
	c := &calls[at]
	if part.ID != "" {
		c.ID = part.ID
	}
	c.Tool = joined(c.Tool, part.Function.Name, maxCallName)
	c.Arguments = joined(c.Arguments, part.Function.Arguments, maxCallBytes)
	return calls
}

// joined is two parts of a text, as far as there may be of it.
func joined(text, part string, most int) string {
	return text + part[:min(len(part), max(0, most-len(text)))]
}

// sendable are the arguments as an endpoint takes them back: some refuse a
// conversation in which a call is no JSON. What was wrong stands in its answer.
func (c Call) sendable() string {
	if json.Valid([]byte(c.Arguments)) {
		return c.Arguments
	}
	return "{}"
}
