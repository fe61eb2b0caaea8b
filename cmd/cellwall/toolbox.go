package main

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/agent"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/tools"
)

// toolbox runs tools on the files of one question. It keeps what the router knows
// of it, and its budget.
type toolbox struct {
	house   *house
	request cellwall.Request // whose code and limits a call fills in
	sql     string           // the environment of query_data, unless state has none
	schemas *tools.Schemas
	meter   *quota.Meter
	state   tools.State
	lang    tools.Language
	tables  []cellwall.Dataset // as inspect_data saw them
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

// Call implements agent.Toolbox.
func (b *toolbox) Call(ctx context.Context, tool, arguments string) (agent.Outcome, error) {
	call, faults := b.schemas.Decode(tool, []byte(arguments), b.lang)
	code := ""
	if call.Python != nil {
		code = call.Python.Code
	}
	if refusal := b.judged().Judge(tool, code, b.lang); refusal != nil {
		return outcome(map[string]any{"ok": false, "refused": refusal})
	}
	switch {
	case faults != nil:
		o, err := outcome(map[string]any{"ok": false, "error": "the arguments do not hold to the schema", "faults": faults})
		o.Malformed = true
		return o, err
	case call.Inspect != nil:
		return b.inspect(ctx, call.Inspect)
	}
	return b.run(ctx, call)
}

// inspect describes the tables; the first time they are read for it.
func (b *toolbox) inspect(ctx context.Context, asked *tools.Inspect) (agent.Outcome, error) {
	o := agent.Outcome{}
	if b.tables == nil {
		r, err := b.house.controller.Describe(ctx, b.request)
		if err != nil {
			return o, err
		}
		b.meter.Note(r, 0)
		if !r.OK {
			b.state = b.state.Ran(tools.InspectData, false)
			return b.told(r)
		}
		b.tables, o.Execution = r.Datasets, r.ID
	}
	b.state = b.state.Ran(tools.InspectData, true)
	found, err := outcome(map[string]any{"ok": true, "tables": tools.Describe(b.tables, asked.Table)})
	found.OK, found.Execution, found.Printed, found.Warnings = true, o.Execution, found.Text, tools.DataLimits(b.tables, b.lang)
	return found, err
}

// run has the program of a call run. Ours see every row; a model's sees what the
// limit of rows gives it.
func (b *toolbox) run(ctx context.Context, call tools.Call) (agent.Outcome, error) {
	req := b.request
	source, err := tools.Source(call)
	if err != nil {
		return agent.Outcome{}, err
	}
	if call.Python != nil {
		req.Code, req.Purpose, req.ExpectedArtifacts = call.Python.Code, call.Python.Purpose, call.Python.ExpectedArtifacts
		left := max(0, 1-b.state.Failures)
		req.AttemptsLeft = &left
	} else {
		req.Code, req.Profile = source, "off"
		req.Limits.Rows = cellwall.MaxLimits().Rows
	}
	if call.Query != nil {
		req.Environment = b.sql
	}
	r, err := b.house.controller.Run(ctx, req)
	if err != nil {
		return agent.Outcome{}, err
	}
	b.meter.Note(r, 0)
	b.state = b.state.Ran(call.Tool, r.OK)
	return b.told(r)
}

// told is what the model and the answer get of a result.
func (b *toolbox) told(r *cellwall.Result) (agent.Outcome, error) {
	o, err := outcome(r.Observation)
	o.OK, o.Execution, o.Artifacts, o.Warnings, o.Printed = r.OK, r.ID, r.Artifacts, r.Warnings, r.Stdout.Text
	for _, rich := range r.Results {
		for _, mime := range []string{"text/plain", "application/json"} {
			o.Printed += "\n" + string(rich.Data[mime])
		}
	}
	return o, err
}

// outcome is a document as a model reads it.
func outcome(document any) (agent.Outcome, error) {
	text, err := plainJSON(document)
	if err != nil {
		return agent.Outcome{}, fmt.Errorf("write what a tool says: %w", err)
	}
	return agent.Outcome{Text: string(text)}, nil
}
