package main

import (
	"context"
	"errors"
	"os"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/tools"
)

// sessionRuns run the tools of a session of the service: a model's program as a cell
// while the interpreter lives, everything else in sandboxes of their own on the
// session's datasets.
type sessionRuns struct {
	box   *sessionBox
	live  *session.Session // nil = its interpreter does not live here
	asked api.ToolCall

	approved bool // by a person, or nobody has to
}

func (r *sessionRuns) describe(ctx context.Context) (*cellwall.Result, error) {
	if done, err := r.ranAlready(ctx); done != nil || err != nil {
		return done, err
	}
	return r.apart(ctx, r.request(), r.box.all.work.Describe)
}

func (r *sessionRuns) run(ctx context.Context, job toolJob) (*cellwall.Result, error) {
	if done, err := r.ranAlready(ctx); done != nil || err != nil {
		return done, err
	}
	functions, err := r.functions()
	if err != nil {
		return nil, err
	}
	if job.tool == tools.RunPython && r.live != nil {
		cell := r.cell(job)
		cell.Functions = functions
		return r.live.Cell(ctx, cell, r.asked.Sink) // it notes in the meter itself
	}
	of := r.request()
	of.Functions = functions
	return r.apart(ctx, job.request(of, r.box.all.sql), func(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
		return r.box.all.work.Stream(ctx, req, r.asked.Sink)
	})
}

// functions are what a model's program may call: SQL, where it is set up.
func (r *sessionRuns) functions() ([]cellwall.Function, error) {
	if r.box.toolbox.state.NoSQL {
		return nil, nil
	}
	return r.box.all.functions.Ours([]string{tools.QueryInside}, string(r.box.toolbox.lang))
}

// cell is a job in the session's interpreter.
func (r *sessionRuns) cell(job toolJob) session.Cell {
	a := r.asked
	return session.Cell{
		ID: a.Execution, Trace: a.Trace, Subject: r.box.who.Subject, Metadata: a.Metadata, Code: job.code, Purpose: job.purpose,
		ExpectedArtifacts: job.expected, TokenCost: a.TokenCost, Language: string(r.box.toolbox.lang), AttemptsLeft: job.left,
		Approved: r.approved, Spent: true,
	}
}

// request names the terms on which the session's data are worked on.
func (r *sessionRuns) request() cellwall.Request {
	p, a := r.box.plan, r.asked
	return cellwall.Request{
		ID: a.Execution, Trace: a.Trace, Identity: r.box.who, Environment: p.Environment, Backend: p.Backend, Profile: p.Profile,
		Limits: p.Limits, Language: string(r.box.toolbox.lang), TokenCost: a.TokenCost, Metadata: a.Metadata,
		Approved: r.approved,
	}
}

// apart runs something on the datasets, which are open meanwhile.
func (r *sessionRuns) apart(
	ctx context.Context, req cellwall.Request, do func(context.Context, cellwall.Request) (*cellwall.Result, error),
) (*cellwall.Result, error) {
	inputs, undo, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	defer undo()
	req.Datasets = inputs
	result, err := do(ctx, req)
	if err == nil {
		r.box.toolbox.meter.Note(result, 0) // what the call cost was noted when it came
	}
	return result, err
}

func (r *sessionRuns) open(ctx context.Context) (inputs []cellwall.Input, undo func(), err error) {
	var files []*os.File
	undo = func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}
	for _, id := range r.box.plan.Datasets {
		f, kept, err := r.box.all.datasets.Open(ctx, r.box.who.Tenant, id)
		if err != nil {
			undo()
			if cellwall.CodeOf(err) == cellwall.CodeNotFound {
				err = &cellwall.Error{
					Code: cellwall.CodeConflict, Op: "open the data of the session", Err: errors.New(id + " was deleted"), Hint: "open another session",
				}
			}
			return nil, nil, err
		}
		files = append(files, f)
		inputs = append(inputs, inputOf(f, kept))
	}
	return inputs, undo, nil
}

// inputOf is a stored dataset as an execution is given it.
func inputOf(f *os.File, kept cellwall.KeptDataset) cellwall.Input {
	return cellwall.Input{Name: kept.Name, Dataset: kept.ID, FD: int(f.Fd()), Size: kept.Bytes, SHA256: kept.SHA256}
}
