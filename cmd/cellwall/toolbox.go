package main

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/agent"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/tools"
)

// toolbox judges the calls of one conversation, has them run and puts what came of
// it into words. It keeps what the router knows, and the budget.
type toolbox struct {
	runs    toolRuns
	schemas *tools.Schemas
	meter   *quota.Meter
	state   tools.State
	lang    tools.Language
	tables  []cellwall.Dataset   // as inspect_data saw them; nil = not yet
	web     toolWeb              // nil = nothing is fetched
	record  func(toolNote) error // of what was decided about a call; nil = who calls does that
	// figures keeps what a program has shown as files; nil = who calls does that.
	figures func(context.Context, *cellwall.Result) ([]cellwall.Artifact, error)
}

// toolRuns are where the tools of a conversation work: on its data, in sandboxes.
// They note in its meter what they ran.
type toolRuns interface {
	describe(ctx context.Context) (*cellwall.Result, error)
	run(ctx context.Context, job toolJob) (*cellwall.Result, error)
}

// toolJob is the program that a call comes to.
type toolJob struct {
	tool     string
	code     string
	purpose  string
	expected []string
	left     *int // attempts of a model's program
}

// own is whether the program is ours, which sees every row.
func (j toolJob) own() bool { return j.tool != tools.RunPython }

// toolOutcome is what became of a call.
type toolOutcome struct {
	agent.Outcome
	result  *cellwall.Result // nil = nothing ran
	refused *tools.Refusal
	faults  tools.Faults
}

// Offers implements agent.Toolbox.
func (b *toolbox) Offers() []tools.Offer { return b.judged().Offers(b.lang) }

// Stage implements agent.Toolbox.
func (b *toolbox) Stage() tools.Stage { return b.judged().Stage() }

// Stop implements agent.Toolbox.
func (b *toolbox) Stop() *cellwall.Stop { return b.meter.Admit() }

// Spend implements agent.Toolbox.
func (b *toolbox) Spend(tokens int) { b.meter.Spend(float64(tokens)) }

// judged is the state with the budget as it stands now.
func (b *toolbox) judged() tools.State { return b.state.Stopped(b.meter.Admit()) }

// asked begins anew with a question; [tools.TaskUnknown] when its words tell nothing, or
// are not known. Without data there is nothing that SQL or a chart could be of: what is
// left is a program.
func (b *toolbox) asked(task tools.Task, data bool) {
	if !data && (task == tools.TaskSimple || task == tools.TaskUnknown) {
		task = tools.TaskSteps
	}
	b.state = b.state.Asked(task)
}

// Call implements agent.Toolbox.
func (b *toolbox) Call(ctx context.Context, tool, arguments string) (agent.Outcome, error) {
	o, err := b.call(ctx, tool, []byte(arguments))
	return o.Outcome, err
}

// call judges a call, runs what it comes to and has that recorded.
func (b *toolbox) call(ctx context.Context, tool string, arguments []byte) (toolOutcome, error) {
	note := newToolNote(cellwall.Identity{Tenant: cellwall.LocalTenant}, tool, arguments)
	note.Stage = string(b.Stage())
	o, err := b.make(ctx, tool, arguments)
	if err != nil || b.record == nil {
		return o, err
	}
	note.of(o, string(b.Stage()))
	return o, b.record(note)
}

func (b *toolbox) make(ctx context.Context, tool string, arguments []byte) (toolOutcome, error) {
	call, refusal, faults := b.judge(tool, arguments)
	switch {
	case refusal != nil:
		return b.refused(refusal)
	case faults != nil:
		return b.malformed(faults)
	}
	return b.do(ctx, call)
}

// judge reads a call and says why it is not to be made: it is not offered, or it is not
// of its schema.
func (b *toolbox) judge(tool string, arguments []byte) (tools.Call, *tools.Refusal, tools.Faults) {
	call, faults := b.schemas.Decode(tool, arguments, b.lang)
	return call, b.judged().Judge(tool, codeOf(call), b.lang), faults
}

// do runs a call that was judged.
func (b *toolbox) do(ctx context.Context, call tools.Call) (toolOutcome, error) {
	switch {
	case call.Inspect != nil:
		return b.inspect(ctx, call.Inspect)
	case call.Fetch != nil:
		return b.fetch(ctx, call.Fetch)
	}
	return b.run(ctx, call)
}

// codeOf is the program that a call brings; "" of another.
func codeOf(call tools.Call) string {
	if call.Python != nil {
		return call.Python.Code
	}
	return ""
}

func (b *toolbox) refused(r *tools.Refusal) (toolOutcome, error) {
	o, err := outcome(map[string]any{"ok": false, "refused": r})
	o.refused = r
	return o, err
}

func (b *toolbox) malformed(faults tools.Faults) (toolOutcome, error) {
	o, err := outcome(map[string]any{"ok": false, "error": "the arguments do not hold to the schema", "faults": faults})
	o.Malformed, o.faults = true, faults
	return o, err
}

// inspect describes the tables; the first time they are read for it.
func (b *toolbox) inspect(ctx context.Context, asked *tools.Inspect) (toolOutcome, error) {
	var read *cellwall.Result
	if b.tables == nil {
		r, err := b.runs.describe(ctx)
		if err != nil {
			return toolOutcome{}, err
		}
		if !r.OK {
			b.ran(ctx, tools.InspectData, r)
			return b.told(ctx, r)
		}
		b.tables, read = append([]cellwall.Dataset{}, r.Datasets...), r
	}
	b.state = b.state.Ran(tools.InspectData, true)
	o, err := outcome(map[string]any{"ok": true, "tables": tools.Describe(b.tables, asked.Table)})
	o.OK, o.Printed, o.Warnings = true, o.Text, tools.DataLimits(b.tables, b.lang)
	if o.result = read; read != nil {
		o.Execution = read.ID
	}
	return o, err
}

// run has the program of a call run.
func (b *toolbox) run(ctx context.Context, call tools.Call) (toolOutcome, error) {
	job := toolJob{tool: call.Tool}
	if call.Python != nil {
		left := max(0, 1-b.state.Failures)
		job.code, job.purpose, job.expected, job.left = call.Python.Code, call.Python.Purpose, call.Python.ExpectedArtifacts, &left
	} else {
		source, err := tools.Source(call)
		if err != nil {
			return toolOutcome{}, err
		}
		job.code = source
	}
	r, err := b.runs.run(ctx, job)
	if err != nil {
		return toolOutcome{}, err
	}
	b.ran(ctx, call.Tool, r)
	if job.own() { // where our program failed is nothing that a model can mend
		shown := *r
		shown.Observation.FailedLine, shown.Observation.FailedCodeExcerpt = 0, ""
		if overran(r) {
			shown.Observation.RetryHint = b.judged().WhyOverran(call.Tool, b.lang)
		}
		o, err := b.told(ctx, &shown)
		o.result = r
		return o, err
	}
	return b.told(ctx, r)
}

// ran has the router know what came of a call. One that its caller cancelled says
// nothing about what the model can do.
func (b *toolbox) ran(ctx context.Context, tool string, r *cellwall.Result) {
	if r.Status != cellwall.StatusCancelled || ctx.Err() == nil {
		b.state = b.state.Ran(tool, r.OK)
	}
	if tool != tools.RunPython && overran(r) {
		b.state = b.state.Overran()
	}
}

// overran is whether the data were too large for a program.
func overran(r *cellwall.Result) bool {
	limited := r.Status == cellwall.StatusMemoryLimit || r.Status == cellwall.StatusTimeout
	return limited || r.Error != nil && r.Error.Type == "MemoryError"
}

// told is what the model and the answer get of a result.
func (b *toolbox) told(ctx context.Context, r *cellwall.Result) (toolOutcome, error) {
	o, err := outcome(r.Observation)
	if err != nil {
		return o, err
	}
	o.OK, o.Execution, o.Artifacts, o.Warnings, o.Printed, o.result = r.OK, r.ID, r.Artifacts, r.Warnings, r.Stdout.Text, r
	for _, rich := range r.Results {
		for _, mime := range []string{"text/plain", "application/json"} {
			o.Printed += "\n" + string(rich.Data[mime])
		}
	}
	if b.figures == nil {
		return o, nil
	}
	o.Figures, err = b.figures(ctx, r)
	return o, err
}

// outcome is a document as a model reads it.
func outcome(document any) (toolOutcome, error) {
	text, err := plainJSON(document)
	if err != nil {
		return toolOutcome{}, fmt.Errorf("write what a tool says: %w", err)
	}
	return toolOutcome{Outcome: agent.Outcome{Text: string(text)}}, nil
}
