package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/cellwall/cellwall"
)

// OpenAI speaks to an endpoint with OpenAI's chat completions, streaming.
type OpenAI struct {
	client *openai.Client
	model  string
}

// EndpointOptions say where a model is. BaseURL ends before "/chat/completions".
type EndpointOptions struct {
	BaseURL string
	Key     string
	Model   string
	Timeout time.Duration // of one reply; 0 = 2 minutes
}

const (
	defaultPatience = 2 * time.Minute
	maxReplyBytes   = 16 << 20
	maxReplyCalls   = 16
)

// NewOpenAI checks what it is given; nothing is sent yet.
func NewOpenAI(o EndpointOptions) (*OpenAI, error) {
	wrong := func(what, hint string) error {
		return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "choose model", Err: errors.New(what), Hint: hint}
	}
	switch {
	case o.Model == "":
		return nil, wrong("no model is named", "give --model, or set CELLWALL_MODEL")
	case o.BaseURL == "" && o.Key == "":
		return nil, wrong("no endpoint is named", "set OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI's own")
	case o.BaseURL != "" && !strings.HasPrefix(o.BaseURL, "http://") && !strings.HasPrefix(o.BaseURL, "https://"):
		return nil, wrong("OPENAI_BASE_URL is no http address", "write for example http://localhost:11434/v1")
	}
	config := openai.DefaultConfig(o.Key)
	if o.BaseURL != "" {
		config.BaseURL = strings.TrimRight(o.BaseURL, "/")
	}
	if o.Timeout == 0 {
		o.Timeout = defaultPatience
	}
	config.HTTPClient = &http.Client{Timeout: o.Timeout, Transport: bounded{http.DefaultTransport}}
	return &OpenAI{client: openai.NewClientWithConfig(config), model: o.Model}, nil
}

// bounded cuts answers that have no end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxReplyBytes), res.Body}
	}
	return res, err
}

// Complete implements Model.
func (m *OpenAI) Complete(ctx context.Context, asked Asked, heard func(string)) (Reply, error) {
	stream, err := m.client.CreateChatCompletionStream(ctx, m.request(asked))
	if err != nil {
		return Reply{}, fmt.Errorf("ask model: %w", err)
	}
	defer stream.Close()
	var (
		reply Reply
		text  strings.Builder
	)
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Reply{}, fmt.Errorf("hear model: %w", err)
		}
		if chunk.Usage != nil {
			reply.Tokens = chunk.Usage.TotalTokens
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		delta := chunk.Choices[0].Delta
		if delta.Content != "" {
			text.WriteString(delta.Content)
			heard(delta.Content)
		}
		for _, part := range delta.ToolCalls {
			reply.Calls = gather(reply.Calls, part)
		}
	}
	reply.Text = text.String()
	for i := range reply.Calls {
		if reply.Calls[i].ID == "" {
			reply.Calls[i].ID = fmt.Sprintf("call_%d", i) // an answer needs one
		}
	}
	return reply, nil
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
	c.Tool += part.Function.Name
	c.Arguments += part.Function.Arguments
	return calls
}

// request writes the conversation as the endpoint reads it.
func (m *OpenAI) request(asked Asked) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: m.model, Stream: true, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}
	for _, one := range asked.Messages {
		message := openai.ChatCompletionMessage{Role: one.Role, Content: one.Text, ToolCallID: one.Call}
		for _, c := range one.Calls {
			message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Tool, Arguments: c.Arguments},
			})
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range asked.Tools {
		r.Tools = append(r.Tools, openai.Tool{
			Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema},
		})
	}
	return r
}
