package main

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/quota"
	"github.com/cellwall/cellwall/tools"
)

// houseRuns run the tools of one question at the command line: each program in a
// sandbox of its own, on the files that were named.
type houseRuns struct {
	house   *house
	request cellwall.Request // whose code and limits a call fills in
	sql     string           // the environment of query_data
	meter   *quota.Meter
}

// houseTools say what a conversation at the command line may work with.
type houseTools struct {
	sql   string // the environment of query_data
	hosts []string
	task  tools.Task // of the question; tools.TaskUnknown = it comes later
}

// openTools makes the toolbox of a conversation on the data of a request; end ends it.
func (h *house) openTools(on cellwall.Request, with houseTools, budget cellwall.Budget) (box *toolbox, end func() error, err error) {
	schemas, err := tools.Compile()
	if err != nil {
		return nil, nil, err
	}
	meter, data := quota.NewMeter(budget), len(on.Datasets) > 0
	box = &toolbox{runs: houseRuns{h, on, with.sql, meter}, schemas: schemas, lang: tools.Language(on.Language), meter: meter}
	box.record = func(n toolNote) error { return h.records.Append(n.At, n) }
	box.figures = (&figureKeeper{house: h}).keep
	box.asked(with.task, data)
	if !data {
		box.state = box.state.Ran(tools.InspectData, true) // there is nothing to look at
	}
	_, missing := h.environments.Open(with.sql)
	box.state.NoSQL = missing != nil || !data
	end, err = allowHosts(box, h, with.hosts, missing != nil)
	return box, end, err
}

func (h houseRuns) describe(ctx context.Context) (*cellwall.Result, error) {
	return h.noted(h.house.controller.Describe(ctx, h.request))
}

func (h houseRuns) run(ctx context.Context, job toolJob) (*cellwall.Result, error) {
	return h.noted(h.house.controller.Run(ctx, job.request(h.request, h.sql)))
}

func (h houseRuns) noted(r *cellwall.Result, err error) (*cellwall.Result, error) {
	if err == nil {
		h.meter.Note(r, 0)
	}
	return r, err
}

// request is the execution that a job is, after a request that names data and terms.
// Programs of ours see every row; a model's sees what the limit of rows gives it.
func (j toolJob) request(of cellwall.Request, sql string) cellwall.Request {
	of.Code, of.Purpose, of.ExpectedArtifacts, of.AttemptsLeft = j.code, j.purpose, j.expected, j.left
	if j.own() {
		of.Functions = nil
		of.Own, of.Profile, of.Purpose = true, "off", j.tool
		of.Limits = ownLimits(of.Limits, of.Datasets)
	}
	if j.tool == tools.QueryData {
		of.Environment = sql
	}
	return of
}
