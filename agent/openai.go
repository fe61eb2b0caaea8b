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
	key    string
}

// EndpointOptions say where a model is. BaseURL ends before "/chat/completions".
type EndpointOptions struct {
	BaseURL string
	Key     string
	Model   string
	Timeout time.Duration // of one reply; 0 = 2 minutes
}

// What a reply may be: an endpoint is not trusted with more.
const (
	defaultPatience = 2 * time.Minute
	maxReplyBytes   = 16 << 20 // as it comes over the wire
	maxReplyText    = 256 << 10
	maxReplyCalls   = 16
	maxErrorText    = 500 // characters
	maxCallName     = 128
	maxCallBytes    = 256<<10 + 1 // of arguments: one more than a tool takes, so that it says so
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
	config.HTTPClient = &http.Client{Timeout: o.Timeout, Transport: bounded{http.DefaultTransport}, CheckRedirect: stay}
	return &OpenAI{client: openai.NewClientWithConfig(config), model: o.Model, key: o.Key}, nil
}

// bounded ends answers that have no end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxReplyBytes)
	}
	return res, err
}

// stay follows no redirect: the conversation, which holds examples of the data,
// goes where the user said and nowhere else.
func stay(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the endpoint sends on to %s: give that address if it is the right one", r.URL.Host)
}

// Complete implements Model. Its errors hold nothing of the key.
func (m *OpenAI) Complete(ctx context.Context, asked Asked, heard func(string)) (Reply, error) {
	stream, err := m.client.CreateChatCompletionStream(ctx, m.request(asked))
	if err != nil {
		return Reply{}, m.plain("ask model", err)
	}
	defer stream.Close()
	h := hearing{heard: heard}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = h.take(chunk)
		}
		if err != nil {
			return Reply{}, m.plain("hear model", err)
		}
	}
	return h.whole(len(asked.Messages))
}

// request writes the conversation as the endpoint reads it.
func (m *OpenAI) request(asked Asked) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: m.model, Stream: true, StreamOptions: &openai.StreamOptions{IncludeUsage: true}}
	for _, one := range asked.Messages {
		message := openai.ChatCompletionMessage{Role: one.Role, Content: one.Text, ToolCallID: one.Call}
		for _, c := range one.Calls {
			message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Tool, Arguments: c.sendable()},
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

// plain is an error as it may be shown: an endpoint can answer with anything, the
// key among it.
func (m *OpenAI) plain(what string, err error) error {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "\uFFFD")), " ")
	if m.key != "" {
		text = strings.ReplaceAll(text, m.key, "***")
	}
	if r := []rune(text); len(r) > maxErrorText {
		text = string(r[:maxErrorText]) + "…"
	}
	return errors.New(what + ": " + text)
}
