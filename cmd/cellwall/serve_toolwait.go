package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/tools"
)

// toolWaits is the decision that a call waits for a person.
const toolWaits = "waits"

// waits reports whether a call that is well formed has to wait for a person: the
// tenant's terms want it, or the session is stuck and its caller asks for one.
func (b *sessionBox) waits(call tools.Call, refusal *tools.Refusal, check bool) bool {
	terms := b.all.kept.terms(b.who.Tenant).Approval
	if refusal != nil {
		return check && refusal.Stage == tools.StageStuck && call.Python != nil
	}
	return slices.Contains(terms.Tools, call.Tool) || terms.Executions && call.Python != nil
}

// wait keeps a call for a person. Until they have answered the session offers nothing.
func (b *sessionBox) wait(ctx context.Context, c api.ToolCall, call tools.Call) (toolOutcome, string, error) {
	terms := b.all.kept.terms(b.who.Tenant)
	now := time.Now().UTC()
	request, err := json.Marshal(c)
	if err != nil {
		return toolOutcome{}, "", fmt.Errorf("keep call: %w", err)
	}
	a := cellwall.Approval{
		ID: cellwall.NewID(cellwall.PrefixApproval), Kind: cellwall.ApprovalTool, State: cellwall.ApprovalWaiting, Asked: b.who, At: now,
		Expires: now.Add(cmp.Or(terms.Approval.Expires, 24*time.Hour)), Session: b.row.Session, Tool: call.Tool,
		Execution: cmp.Or(c.Execution, cellwall.NewID(cellwall.PrefixExecution)), Code: codeOf(call), Request: request, Call: c.Trace,
	}
	if call.Python != nil {
		a.Purpose = call.Python.Purpose
	}
	if err := b.all.approvals.Ask(ctx, a, nil, cmp.Or(terms.Background, 100)); err != nil {
		return toolOutcome{}, "", err
	}
	b.toolbox.state = b.toolbox.state.Escalated()
	o, err := b.asked(call.Tool, a.ID)
	return o, a.ID, err
}

// Decided implements api.Toolboxes.
func (t *toolboxes) Decided(ctx context.Context, a cellwall.Approval) (api.ToolAnswer, error) {
	var c api.ToolCall
	if err := json.Unmarshal(a.Request, &c); err != nil {
		return api.ToolAnswer{}, fmt.Errorf("read kept call: %w", err)
	}
	c.Execution = a.Execution
	leave, err := t.turns.enter(ctx, a.Asked.Tenant+" "+a.Session, t.patient)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	defer leave()
	box, err := t.open(ctx, a.Asked, a.Session, c.Language)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	box.runs.asked, box.runs.approved = c, true
	note := box.note(c)
	note.Approval, note.Stage = a.ID, string(box.toolbox.Stage())
	o, err := box.decided(ctx, a, c)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	return box.settle(ctx, note, c.Tool, o)
}

// askEvery is how often it is looked whether a person has decided.
const askEvery = time.Second

// approvedAnswer waits until a person has decided a call, or its time is over, and gives
// what came of it. Who stops waiting finds that at /v1/approvals/{id}.
func (t *toolboxes) approvedAnswer(ctx context.Context, tenant, approval string) (answer api.ToolAnswer, err error) {
	for {
		a, err := t.approvals.Approval(ctx, tenant, approval)
		if err != nil {
			return answer, err
		}
		if a.Outcome != nil {
			return answer, json.Unmarshal(a.Outcome, &answer)
		}
		if !pauseFor(ctx, askEvery) {
			return answer, ctx.Err()
		}
	}
}

// decided makes a call that a person let through, or tells why it is not made.
func (b *sessionBox) decided(ctx context.Context, a cellwall.Approval, c api.ToolCall) (toolOutcome, error) {
	switch a.State {
	case cellwall.ApprovalApproved, cellwall.ApprovalEdited:
		b.toolbox.state = b.toolbox.state.Decided(true)
		if !c.HumanCheck { // it was the terms that wanted it: the router knows no more than before
			b.toolbox.state = b.toolbox.state.Unanswered()
		}
	case cellwall.ApprovalRejected:
		b.toolbox.state = b.toolbox.state.Decided(false)
		return b.turnedDown(c, "a person has said no", a.Comment)
	case cellwall.ApprovalExpired, cellwall.ApprovalWaiting:
		b.toolbox.state = b.toolbox.state.Unanswered()
		return b.turnedDown(c, "nobody has approved it in time", "")
	}
	if b.toolbox.Stop() != nil {
		return b.toolbox.refused(b.toolbox.judged().Judge(c.Tool, "", b.toolbox.lang))
	}
	call, faults := b.toolbox.schemas.Decode(c.Tool, c.Arguments, b.toolbox.lang)
	if faults != nil {
		return b.toolbox.malformed(faults)
	}
	return b.toolbox.do(ctx, call)
}

// turnedDown is the answer to a call that is not made.
func (b *sessionBox) turnedDown(c api.ToolCall, why, comment string) (toolOutcome, error) {
	stage := b.toolbox.Stage()
	r := &tools.Refusal{Tool: c.Tool, Stage: stage, Reason: why, Next: comment}
	if judged := b.toolbox.judged().Judge(c.Tool, "", b.toolbox.lang); judged != nil {
		r.Instead, r.Next = judged.Instead, judged.Next
		if comment != "" {
			r.Reason += ": " + comment
		}
	}
	return b.toolbox.refused(r)
}

// Check implements api.Toolboxes.
func (t *toolboxes) Check(tool string, arguments json.RawMessage, language string) (list []api.ToolFault) {
	_, faults := t.schemas.Decode(tool, arguments, tools.Language(cmp.Or(language, string(tools.English))))
	for _, f := range faults {
		list = append(list, api.ToolFault(f))
	}
	return list
}
