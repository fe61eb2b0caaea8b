package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a toolbox with the real router, whose programs are functions of the
// test: what a session makes of them is what is tried here.
type scripted struct {
	mu        sync.Mutex
	state     tools.State
	run       func(ctx context.Context, tool string, arguments []byte) (Outcome, error)
	asked     []string
	artifacts map[string]string
}

func (b *scripted) Tools() []tools.Tool { return tools.All(tools.English) }

func (b *scripted) Offers() []tools.Offer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.Offers(tools.English)
}

func (b *scripted) Call(ctx context.Context, tool string, arguments []byte) (Outcome, error) {
	b.mu.Lock()
	refusal := b.state.Judge(tool, "", tools.English)
	b.mu.Unlock()
	if refusal != nil {
		raw, err := json.Marshal(map[string]any{"ok": false, "refused": refusal})
		return Outcome{Text: string(raw)}, err
	}
	o := Outcome{Text: `{"ok":true}`, OK: true, Execution: "exec_1"}
	var err error
	if b.run != nil {
		o, err = b.run(ctx, tool, arguments)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.state = b.state.Ran(tool, o.OK)
	}
	return o, err
}

func (b *scripted) Asked(_ context.Context, question string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, question)
	b.state = b.state.Asked(tools.NewClassifier().Classify(question))
	return nil
}

func (b *scripted) Prompt(_ context.Context, question string) (string, error) {
	return "the tables " + question, nil
}

func (b *scripted) Open(_ context.Context, id string) (cellwall.Artifact, io.ReadCloser, error) {
	content, ok := b.artifacts[id]
	if !ok {
		return cellwall.Artifact{}, nil, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open artifact", Err: errors.New("no " + id)}
	}
	media := "text/csv"
	if bytes.HasPrefix([]byte(content), []byte("\x89PNG")) {
		media = "image/png"
	}
	return cellwall.Artifact{ID: id, MediaType: media, Bytes: int64(len(content))}, io.NopCloser(bytes.NewReader([]byte(content))), nil
}

// ready is a state in which every tool is offered.
func ready() tools.State { return tools.State{Inspected: true, Task: tools.TaskSteps} }

// connected is a client of a session over its box.
func connected(t *testing.T, b *scripted, change func(*Options), o *sdk.ClientOptions) (*Session, *sdk.ClientSession) {
	t.Helper()
	options := Options{Toolbox: b, Beat: 20 * time.Millisecond}
	if change != nil {
		change(&options)
	}
	s := New(options)
	client, server := sdk.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), server) }()
	as := &sdk.ClientSessionOptions{}
	if o != nil && o.ToolListChangedHandler != nil {
		as.ProtocolVersion = "2025-11-25" // a later client hears of changes from when it has subscribed
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), client, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("the session ended with %v", err)
		}
	})
	return s, c
}

// called makes a call that must be answered.
func called(t *testing.T, c *sdk.ClientSession, tool string, arguments any) *sdk.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// listed are the names of the tools that the client sees.
func listed(t *testing.T, c *sdk.ClientSession) (names []string) {
	t.Helper()
	l, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// soon waits for something that has to happen.
func soon(t *testing.T, what string, happened <-chan struct{}) {
	t.Helper()
	select {
	case <-happened:
	case <-time.After(10 * time.Second):
		t.Fatal("it did not happen: " + what)
	}
}
