package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/tools"
)

// programOf is the program that a call brings; "" of another.
func programOf(call tools.Call) string {
	if call.Python == nil {
		return ""
	}
	return call.Python.Code
}

// run makes a call that was judged.
func (b *box) run(ctx context.Context, c api.ToolCall, call tools.Call) (api.ToolAnswer, error) {
	req := cellwall.Request{ID: c.Execution, Trace: c.Trace, Identity: b.who, TokenCost: c.TokenCost, Metadata: c.Metadata}
	for _, id := range b.data {
		f, kept, err := b.all.store.OpenDataset(ctx, b.who.Tenant, id)
		if err != nil {
			return api.ToolAnswer{}, err
		}
		defer func(f *os.File) { _ = f.Close() }(f) // it was only read
		req.Datasets = append(req.Datasets, cellwall.Input{Name: kept.Name, Dataset: kept.ID, FD: int(f.Fd()), Size: kept.Bytes, SHA256: kept.SHA256})
	}
	var r *cellwall.Result
	var err error
	switch {
	case call.Inspect != nil:
		r, err = b.all.work.Describe(ctx, req)
	case call.Python != nil:
		req.Code, req.Purpose = call.Python.Code, call.Python.Purpose
		r, err = b.all.work.Stream(ctx, req, nil)
	default:
		if req.Code, err = tools.Source(call); err == nil {
			r, err = b.all.work.Stream(ctx, req, nil)
		}
	}
	if err != nil {
		return api.ToolAnswer{}, err
	}
	b.state = b.state.Ran(call.Tool, r.OK)
	said := observed(r.Observation)
	if call.Inspect != nil && r.OK {
		said = observed(map[string]any{"ok": true, "tables": tools.Describe(r.Datasets, call.Inspect.Table)})
	}
	return b.answer(ctx, call.Tool, api.ToolAnswer{OK: r.OK, Observation: said, Result: r})
}

// answer keeps how far the session has come, and says so.
func (b *box) answer(ctx context.Context, tool string, a api.ToolAnswer) (api.ToolAnswer, error) {
	var err error
	if b.row.State, err = json.Marshal(b.state); err != nil {
		return a, err
	}
	a.ID, a.Session, a.Tool, a.Stage, a.Offered = cellwall.NewID(cellwall.PrefixToolCall), b.row.Session, tool, string(b.state.Stage()), []string{}
	for _, o := range b.state.Offers(b.lang) {
		if o.Offered {
			a.Offered = append(a.Offered, o.Tool)
		}
	}
	return a, b.all.store.SaveToolbox(context.WithoutCancel(ctx), b.row)
}

// Decided makes a call that a person let through, or tells why it is not made.
func (t *toolboxes) Decided(ctx context.Context, a cellwall.Approval) (api.ToolAnswer, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	var c api.ToolCall
	if err := json.Unmarshal(a.Request, &c); err != nil {
		return api.ToolAnswer{}, err
	}
	b, err := t.open(ctx, a.Asked, a.Session, c.Language)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	if !a.State.Passed() {
		b.state = b.state.Decided(false)
		if a.State == cellwall.ApprovalExpired {
			b.state = b.state.Unanswered()
		}
		return b.answer(ctx, c.Tool, turnedDown(&tools.Refusal{Tool: c.Tool, Stage: b.state.Stage(), Reason: "a person has not said yes: " + a.Comment}))
	}
	if b.state = b.state.Decided(true); !c.HumanCheck {
		b.state = b.state.Unanswered()
	}
	c.Execution = a.Execution
	call, faults := t.schemas.Decode(c.Tool, c.Arguments, b.lang)
	if faults != nil {
		return b.answer(ctx, c.Tool, malformed(faults))
	}
	return b.run(ctx, c, call)
}

// Check says what of arguments the schema does not take.
func (t *toolboxes) Check(tool string, arguments json.RawMessage, language string) (list []api.ToolFault) {
	_, faults := t.schemas.Decode(tool, arguments, tools.Language(cmp.Or(language, string(tools.English))))
	for _, f := range faults {
		list = append(list, api.ToolFault(f))
	}
	return list
}

func turnedDown(r *tools.Refusal) api.ToolAnswer {
	return api.ToolAnswer{
		Observation: observed(map[string]any{"ok": false, "refused": r}),
		Refused:     &api.ToolRefusal{Tool: r.Tool, Stage: string(r.Stage), Reason: r.Reason, Instead: r.Instead, Next: r.Next},
	}
}

func malformed(faults tools.Faults) (a api.ToolAnswer) {
	for _, f := range faults {
		a.Faults = append(a.Faults, api.ToolFault(f))
	}
	a.Observation = observed(map[string]any{"ok": false, "faults": faults})
	return a
}

// observed is a document as a model reads it.
func observed(document any) json.RawMessage {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // ours always encode
	}
	return text
}
