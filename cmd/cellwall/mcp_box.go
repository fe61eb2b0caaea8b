package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/mcp"
	"github.com/cellwall/cellwall/tools"
)

// mcpBox is a toolbox of the command line as an MCP session calls it: what is asked
// beside a call is answered as it was before that call.
type mcpBox struct {
	house *house
	on    cellwall.Request // data, environment and limits of what runs
	out   string
	asks  *tools.Classifier

	calling sync.Mutex // held while box works
	box     *toolbox

	mu        sync.Mutex
	offers    []tools.Offer
	artifacts map[string]cellwall.Artifact
}

func newMCPBox(b *toolbox, h *house, on cellwall.Request, out string) *mcpBox {
	b.state.Unheard = true
	return &mcpBox{house: h, on: on, out: out, asks: tools.NewClassifier(), box: b, offers: b.Offers(), artifacts: map[string]cellwall.Artifact{}}
}

// Tools implements mcp.Toolbox.
func (m *mcpBox) Tools() []tools.Tool { return tools.Of(m.box.lang, m.Offers()) }

// Offers implements mcp.Toolbox.
func (m *mcpBox) Offers() []tools.Offer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offers
}

// Call implements mcp.Toolbox.
func (m *mcpBox) Call(ctx context.Context, tool string, arguments []byte) (mcp.Outcome, error) {
	m.calling.Lock()
	defer m.calling.Unlock()
	o, err := m.box.Call(ctx, tool, string(arguments))
	files := slices.Concat(o.Artifacts, o.Figures)
	if err == nil && m.out != "" {
		err = m.save(context.WithoutCancel(ctx), files)
	}
	m.note(files)
	return mcp.Outcome{Text: o.Text, OK: o.OK, Execution: o.Execution, Artifacts: o.Artifacts, Figures: o.Figures}, err
}

// mostKept is how many artifacts of a session can be asked for.
const mostKept = 10_000

// note keeps what the session may ask for from now on.
func (m *mcpBox) note(artifacts []cellwall.Artifact) {
	offers := m.box.Offers()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offers = offers
	for _, a := range artifacts {
		if len(m.artifacts) < mostKept {
			m.artifacts[a.ID] = a
		}
	}
}

func (m *mcpBox) save(ctx context.Context, artifacts []cellwall.Artifact) error {
	for _, a := range artifacts {
		if _, err := m.house.artifacts.CopyTo(ctx, m.out, a); err != nil {
			return err
		}
	}
	return nil
}

// Asked implements mcp.Toolbox.
func (m *mcpBox) Asked(_ context.Context, question string) error {
	m.calling.Lock()
	defer m.calling.Unlock()
	m.box.asked(m.asks.Classify(question), m.data())
	m.note(nil)
	return nil
}

// data is whether there are any, from the start or fetched.
func (m *mcpBox) data() bool {
	runs, ok := m.box.runs.(houseRuns)
	return ok && len(runs.request.Datasets) > 0
}

// Prompt implements mcp.Toolbox: the data are read for it, if nobody has had them
// read yet.
func (m *mcpBox) Prompt(ctx context.Context, question string) (string, error) {
	m.calling.Lock()
	defer m.calling.Unlock()
	if m.box.tables == nil && len(m.on.Datasets) > 0 {
		o, err := m.box.Call(ctx, tools.InspectData, "{}")
		m.note(nil)
		if err != nil {
			return "", err
		}
		if !o.OK {
			return "", &cellwall.Error{Code: cellwall.CodeDatasetUnreadable, Op: "read the data", Err: errors.New(o.Text)}
		}
	}
	env, err := m.house.environments.Open(m.on.Environment)
	if err != nil {
		return "", err
	}
	limits := m.on.Limits.WithDefaults()
	p := tools.Prompt{
		Datasets: m.box.tables, Packages: env.Packages, Timeout: limits.Timeout, Memory: limits.MemoryBytes, Language: m.box.lang,
		Question: question,
	}
	return p.Text(), nil
}

// Open implements mcp.Toolbox.
func (m *mcpBox) Open(_ context.Context, id string) (cellwall.Artifact, io.ReadCloser, error) {
	m.mu.Lock()
	a, ok := m.artifacts[id]
	m.mu.Unlock()
	if !ok {
		return a, nil, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open artifact", Err: fmt.Errorf("this session has none of the id %.64q", id)}
	}
	f, err := m.house.artifacts.Open(a)
	return a, f, err
}
