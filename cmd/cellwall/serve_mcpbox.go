package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/mcp"
	"github.com/cellwall/cellwall/tools"
)

// servedBox is the toolbox of a session of the service as an MCP session calls it.
type servedBox struct {
	all  *servedMCP
	who  cellwall.Identity
	id   string // of the session of the service
	lang tools.Language

	mu    sync.Mutex
	known api.ToolOffers // as they were after the latest call
}

// look finds out what is offered now.
func (b *servedBox) look(ctx context.Context) error {
	offers, err := b.all.boxes.Offers(ctx, b.who, b.id, string(b.lang))
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known = offers
	return nil
}

// Tools implements mcp.Toolbox.
func (b *servedBox) Tools() []tools.Tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]tools.Tool, 0, len(b.known.Tools))
	for _, t := range b.known.Tools {
		list = append(list, tools.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema, ReadOnly: t.ReadOnly})
	}
	return list
}

// Offers implements mcp.Toolbox.
func (b *servedBox) Offers() []tools.Offer {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]tools.Offer, 0, len(b.known.Tools))
	for _, t := range b.known.Tools {
		list = append(list, tools.Offer{Tool: t.Name, Offered: t.Offered, Why: t.Why})
	}
	return list
}

// Call implements mcp.Toolbox.
func (b *servedBox) Call(ctx context.Context, tool string, arguments []byte) (mcp.Outcome, error) {
	return b.call(ctx, api.ToolCall{Tool: tool, Arguments: arguments})
}

func (b *servedBox) call(ctx context.Context, c api.ToolCall) (mcp.Outcome, error) {
	if err := b.all.open(); err != nil {
		return mcp.Outcome{}, err
	}
	c.Session, c.Language, c.Trace, c.Unheard = b.id, string(b.lang), cellwall.NewID(cellwall.PrefixCall), true
	answer, err := b.all.boxes.Call(ctx, b.who, c)
	if err == nil && answer.Approval != "" {
		if err = b.look(ctx); err == nil { // nothing is offered meanwhile
			answer, err = b.all.boxes.approvedAnswer(ctx, b.who.Tenant, answer.Approval)
		}
	}
	if err != nil {
		return mcp.Outcome{}, err
	}
	o := mcp.Outcome{Text: string(answer.Observation), OK: answer.OK}
	if r := answer.Result; r != nil {
		o.Execution, o.Artifacts, o.Figures = r.ID, r.Artifacts, servedFigures(r)
	}
	return o, b.look(ctx)
}

// Asked implements mcp.Toolbox.
func (b *servedBox) Asked(ctx context.Context, question string) error {
	if err := b.all.boxes.Asked(ctx, b.who, b.id, question); err != nil {
		return err
	}
	return b.look(ctx)
}

// Prompt implements mcp.Toolbox.
func (b *servedBox) Prompt(ctx context.Context, question string) (string, error) {
	box, err := b.all.boxes.open(ctx, b.who, b.id, string(b.lang))
	if err == nil && box.toolbox.tables == nil && len(box.plan.Datasets) > 0 {
		var o mcp.Outcome
		if o, err = b.Call(ctx, tools.InspectData, []byte(`{}`)); err == nil && !o.OK {
			err = &cellwall.Error{Code: cellwall.CodeDatasetUnreadable, Op: "read the data", Err: errors.New(o.Text)}
		}
		if err == nil {
			box, err = b.all.boxes.open(ctx, b.who, b.id, string(b.lang))
		}
	}
	if err != nil {
		return "", err
	}
	env, err := b.all.boxes.environments.Open(cmp.Or(box.plan.Environment, b.all.environment))
	if err != nil {
		return "", err
	}
	limits := box.plan.Limits
	if limits == (cellwall.Limits{}) {
		limits = b.all.boxes.kept.terms(b.who.Tenant).Default
	}
	limits = limits.WithDefaults()
	p := tools.Prompt{
		Datasets: box.toolbox.tables, Packages: env.Packages, Timeout: limits.Timeout.Round(time.Second), Memory: limits.MemoryBytes, Language: b.lang,
		Question: question,
	}
	return p.Text(), nil
}

// Open implements mcp.Toolbox: any artifact of the caller's tenant, and any figure that its
// code has shown.
func (b *servedBox) Open(ctx context.Context, id string) (cellwall.Artifact, io.ReadCloser, error) {
	if id == "" {
		return cellwall.Artifact{}, nil, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open artifact", Err: errors.New("there is no such artifact")}
	}
	if execution, number, ok := figureOf(id); ok {
		return b.openFigure(ctx, execution, number)
	}
	kept, err := b.all.artifacts.Artifact(ctx, b.who.Tenant, id)
	if err == nil {
		err = b.all.released(ctx, b.who.Tenant, id)
	}
	if err != nil {
		return cellwall.Artifact{}, nil, err
	}
	content, err := b.all.artifacts.Open(ctx, kept)
	return kept.Artifact, content, err
}
