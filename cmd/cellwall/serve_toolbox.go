package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/tools"
)

// sessionBox is the toolbox of one session while a call has its turn.
type sessionBox struct {
	all     *toolboxes
	who     cellwall.Identity
	row     store.Toolbox
	plan    toolPlan
	toolbox toolbox
	runs    *sessionRuns
	before  *toolBefore // as it is kept
	begun   *toolBefore // as it is kept with what comes of this call
}

// join gives the box what this service has of the session: its interpreter and the
// budget that the cells use, or what was kept of that.
func (b *sessionBox) join(language string, kept toolState) {
	terms := b.all.kept.terms(b.who.Tenant)
	b.toolbox.lang = tools.Language(cmp.Or(language, b.plan.Language, terms.Language, string(tools.English)))
	b.toolbox.state.NoSQL = b.all.noSQL(b.who, b.plan)
	b.runs = &sessionRuns{box: b}
	b.toolbox.runs = b.runs
	b.allowHosts()
	if live, err := b.all.sessions.Get(b.row.Session, b.who); err == nil {
		b.runs.live = live
		b.toolbox.meter, _ = live.Meter().(*quota.Meter)
	}
	if b.toolbox.meter == nil {
		b.toolbox.meter = quota.ResumeMeter(terms.SessionBudget, kept.Used, kept.Class)
	}
}

func (b *sessionBox) offers() api.ToolOffers {
	out := api.ToolOffers{
		Session: b.row.Session, Stage: string(b.toolbox.Stage()), Live: b.runs.live != nil, Stop: b.toolbox.Stop(), Tools: []api.ToolOffer{},
	}
	offers := b.toolbox.Offers()
	for _, t := range tools.Of(b.toolbox.lang, offers) {
		i := slices.IndexFunc(offers, func(o tools.Offer) bool { return o.Tool == t.Name })
		out.Tools = append(out.Tools, api.ToolOffer{
			Name: t.Name, Description: t.Description, Schema: t.Schema, ReadOnly: t.ReadOnly, Offered: offers[i].Offered, Why: offers[i].Why,
		})
	}
	return out
}

// answer makes a call, keeps how far the conversation has come, and records what was
// decided.
func (b *sessionBox) answer(ctx context.Context, c api.ToolCall) (api.ToolAnswer, error) {
	note := b.note(c)
	if c.Question != "" {
		b.ask(c.Question)
	}
	b.toolbox.meter.Spend(c.TokenCost)
	note.Stage = string(b.toolbox.Stage())
	o, waits, err := b.make(ctx, c)
	if err != nil {
		return api.ToolAnswer{}, err
	}
	if waits != "" {
		note.Approval, note.Decision = waits, toolWaits
	}
	a, err := b.settle(ctx, note, c.Tool, o)
	a.Approval = waits
	return a, err
}

// make makes a call, unless it is refused or waits for a person; then it says for which
// approval.
func (b *sessionBox) make(ctx context.Context, c api.ToolCall) (o toolOutcome, waits string, err error) {
	call, refusal, faults := b.toolbox.judge(c.Tool, c.Arguments)
	switch {
	case faults == nil && b.waits(call, refusal, c.HumanCheck):
		return b.wait(ctx, c, call)
	case refusal != nil:
		o, err = b.toolbox.refused(refusal)
	case faults != nil:
		o, err = b.toolbox.malformed(faults)
	default:
		o, err = b.toolbox.do(ctx, call)
	}
	return o, "", err
}

// settle is the end of a call.
func (b *sessionBox) settle(ctx context.Context, note toolNote, tool string, o toolOutcome) (api.ToolAnswer, error) {
	if err := b.all.keep(ctx, b); err != nil && cellwall.CodeOf(err) != cellwall.CodeConflict {
		return api.ToolAnswer{}, err // a session that ended meanwhile has nothing to keep
	}
	note.of(o, string(b.toolbox.Stage()))
	if err := b.all.record(ctx, note); err != nil {
		return api.ToolAnswer{}, err
	}
	return b.view(note.ID, tool, o), nil
}

// ask begins anew with a question of the user's, "" when its words are not known, unless
// a person is asked just now.
func (b *sessionBox) ask(question string) {
	if b.toolbox.state.Human != tools.HumanWaiting {
		b.toolbox.asked(b.all.tasks.Classify(question), len(b.plan.Datasets) > 0)
	}
}

// view is what the caller is told.
func (b *sessionBox) view(id, tool string, o toolOutcome) api.ToolAnswer {
	a := api.ToolAnswer{
		ID: id, Session: b.row.Session, Tool: tool, OK: o.OK, Stage: string(b.toolbox.Stage()), Offered: []string{},
		Observation: json.RawMessage(o.Text), Result: o.result,
	}
	for _, offer := range b.toolbox.Offers() {
		if offer.Offered {
			a.Offered = append(a.Offered, offer.Tool)
		}
	}
	if r := o.refused; r != nil {
		a.Refused = &api.ToolRefusal{Tool: r.Tool, Stage: string(r.Stage), Reason: r.Reason, Instead: r.Instead, Next: r.Next}
	}
	for _, f := range o.faults {
		a.Faults = append(a.Faults, api.ToolFault(f))
	}
	return a
}

// note is the beginning of the record of a call.
func (b *sessionBox) note(c api.ToolCall) toolNote {
	n := newToolNote(b.who, c.Tool, c.Arguments)
	n.Call, n.Session = c.Trace, b.row.Session
	return n
}
