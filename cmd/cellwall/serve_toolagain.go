package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/tools"
)

// A call under an idempotency key is made once, also when the service died before its
// answer was kept. Then it is judged again as it was, and what ran is not run again:
// it is kept under the id that the key has reserved.

// toolBefore is a session before its latest call, when that had an idempotency key.
type toolBefore struct {
	Call   string          `json:"call"` // the execution that its key reserved
	Router tools.State     `json:"router"`
	Used   cellwall.Budget `json:"used"`
	Class  string          `json:"class,omitempty"`
}

// begin goes back to where the session stood before a call that a service which died
// has made, so that nothing of it counts twice.
func (b *sessionBox) begin(c api.ToolCall) {
	if c.Execution == "" {
		return
	}
	if was := b.before; was != nil && was.Call == c.Execution {
		hosts, noSQL := b.toolbox.state.Hosts, b.toolbox.state.NoSQL
		b.toolbox.state = was.Router
		b.toolbox.state.Hosts, b.toolbox.state.NoSQL = hosts, noSQL
		if b.runs.live == nil {
			b.toolbox.meter = quota.ResumeMeter(b.all.kept.terms(b.who.Tenant).SessionBudget, was.Used, was.Class)
		}
		if !was.Router.Inspected {
			b.toolbox.tables, b.row.Tables = nil, nil
		}
	}
	used, class := b.toolbox.meter.Row()
	b.begun = &toolBefore{Call: c.Execution, Router: b.toolbox.state, Used: used, Class: class}
}

// ranAlready is the result of what a service has run for this call before it died.
func (r *sessionRuns) ranAlready(ctx context.Context) (*cellwall.Result, error) {
	if r.asked.Execution == "" {
		return nil, nil
	}
	k, err := r.box.all.kept.Execution(ctx, r.box.who.Tenant, r.asked.Execution)
	if err != nil && cellwall.CodeOf(err) == cellwall.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(k.Result) == 0 {
		return nil, errors.New("read an execution: it has no result")
	}
	var result cellwall.Result
	if err := json.Unmarshal(k.Result, &result); err != nil {
		return nil, err
	}
	r.box.toolbox.meter.Note(&result, 0)
	return &result, nil
}

// waitsAlready is what a person has been asked for this call by a service that died;
// nil = nobody was asked.
func (b *sessionBox) waitsAlready(ctx context.Context) (*cellwall.Approval, error) {
	if b.runs.asked.Execution == "" {
		return nil, nil
	}
	a, err := b.all.approvals.ApprovalOf(ctx, b.who.Tenant, cellwall.ApprovalTool, b.runs.asked.Execution)
	if err != nil && cellwall.CodeOf(err) == cellwall.CodeNotFound {
		return nil, nil
	}
	return &a, err
}

// waited answers for a call for which a person has been asked already: nobody is asked
// twice, and what has come of it meanwhile stays.
func (b *sessionBox) waited(ctx context.Context, c api.ToolCall, a *cellwall.Approval, err error) (api.ToolAnswer, error) {
	if err != nil {
		return api.ToolAnswer{}, err
	}
	note := b.note(c)
	note.Stage, note.Approval, note.Decision = string(b.toolbox.Stage()), a.ID, toolWaits
	if a.State == cellwall.ApprovalWaiting {
		b.toolbox.state = b.toolbox.state.Escalated()
	}
	o, err := b.asked(c.Tool, a.ID)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	answer, err := b.settle(ctx, note, c.Tool, o)
	answer.Approval = a.ID
	return answer, err
}

// asked is the outcome of a call that waits for a person.
func (b *sessionBox) asked(tool, approval string) (toolOutcome, error) {
	return outcome(map[string]any{
		"ok": false, "waiting": b.toolbox.judged().Judge(tool, "", b.toolbox.lang), "approval": approval,
	})
}
