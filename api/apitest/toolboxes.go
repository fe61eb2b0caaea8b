package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/tools"
)

// toolboxes join the router and the schemas of package tools to the store, as the
// binary does, without its budgets and without SQL. Every program runs by itself, as
// where the interpreter of a session is gone. One call is made at a time.
type toolboxes struct {
	store     *store.Store
	approvals api.Approvals
	work      api.Work
	keys      *Keys
	schemas   *tools.Schemas
	tasks     *tools.Classifier
	turn      sync.Mutex
}

var _ api.Toolboxes = (*toolboxes)(nil)

// box is the toolbox of one session.
type box struct {
	all   *toolboxes
	who   cellwall.Identity
	row   store.Toolbox
	data  []string
	state tools.State
	lang  tools.Language
}

func (t *toolboxes) open(ctx context.Context, who cellwall.Identity, id, language string) (*box, error) {
	row, err := t.store.Toolbox(ctx, who.Tenant, id)
	if err != nil {
		return nil, err
	}
	b := &box{all: t, who: who, row: row, lang: tools.Language(cmp.Or(language, string(tools.English)))}
	if err := json.Unmarshal(row.Plan, &b.data); err != nil {
		return nil, err
	}
	switch {
	case row.State != nil:
		err = json.Unmarshal(row.State, &b.state)
	case len(b.data) == 0: // there is nothing to look at
		b.state = b.state.Ran(tools.InspectData, true).Asked(tools.TaskSteps)
	}
	b.state.NoSQL = true
	return b, err
}

func (t *toolboxes) Offers(ctx context.Context, who cellwall.Identity, id, language string) (api.ToolOffers, error) {
	b, err := t.open(ctx, who, id, language)
	if err != nil {
		return api.ToolOffers{}, err
	}
	out, offers := api.ToolOffers{Session: id, Stage: string(b.state.Stage())}, b.state.Offers(b.lang)
	for _, tool := range tools.Of(b.lang, offers) {
		i := slices.IndexFunc(offers, func(o tools.Offer) bool { return o.Tool == tool.Name })
		out.Tools = append(out.Tools, api.ToolOffer{
			Name: tool.Name, Description: tool.Description, Schema: tool.Schema, ReadOnly: tool.ReadOnly, Offered: offers[i].Offered, Why: offers[i].Why,
		})
	}
	return out, nil
}

func (t *toolboxes) Call(ctx context.Context, who cellwall.Identity, c api.ToolCall) (api.ToolAnswer, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	b, err := t.open(ctx, who, c.Session, c.Language)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	if c.Question != "" && b.state.Human != tools.HumanWaiting {
		b.state = b.state.Asked(t.tasks.Classify(c.Question))
	}
	call, faults := t.schemas.Decode(c.Tool, c.Arguments, b.lang)
	refusal := b.state.Judge(c.Tool, programOf(call), b.lang)
	switch {
	case faults == nil && b.waits(call, refusal, c.HumanCheck):
		return b.wait(ctx, c, call)
	case refusal != nil:
		return b.answer(ctx, c.Tool, turnedDown(refusal))
	case faults != nil:
		return b.answer(ctx, c.Tool, malformed(faults))
	}
	return b.run(ctx, c, call)
}

// waits is whether a person has to look at a call before it is made.
func (b *box) waits(call tools.Call, refusal *tools.Refusal, check bool) bool {
	terms, _ := b.all.keys.Tenant(b.who.Tenant) // never fails
	if refusal != nil {
		return check && refusal.Stage == tools.StageStuck && call.Python != nil
	}
	return slices.Contains(terms.Terms.Approval.Tools, call.Tool) || terms.Terms.Approval.Executions && call.Python != nil
}

func (b *box) wait(ctx context.Context, c api.ToolCall, call tools.Call) (api.ToolAnswer, error) {
	request, err := json.Marshal(c)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	now := time.Now().UTC()
	a := cellwall.Approval{
		ID: cellwall.NewID(cellwall.PrefixApproval), Kind: cellwall.ApprovalTool, State: cellwall.ApprovalWaiting, Asked: b.who, At: now,
		Expires: now.Add(24 * time.Hour), Session: b.row.Session, Tool: call.Tool, Execution: cmp.Or(c.Execution, cellwall.NewID(cellwall.PrefixExecution)),
		Code: programOf(call), Request: request, Call: c.Trace,
	}
	if call.Python != nil {
		a.Purpose = call.Python.Purpose
	}
	if err := b.all.approvals.Ask(ctx, a, nil, 100); err != nil {
		return api.ToolAnswer{}, err
	}
	b.state = b.state.Escalated()
	out, err := b.answer(ctx, c.Tool, api.ToolAnswer{Observation: observed(map[string]any{"ok": false, "approval": a.ID})})
	out.Approval = a.ID
	return out, err
}
