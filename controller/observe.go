package controller

import (
	"context"

	"github.com/cellwall/cellwall"
)

func (x *execution) observe(ctx context.Context) {
	_, done := x.stage(ctx, StageObserve)
	defer done(nil)
	x.mask()
	warnings, told := x.c.opts.Observe(cellwall.Evidence{
		Request: x.req, Result: x.result, Tables: x.seen.tables, Notices: append(x.seen.notices, x.notes...),
		Met: x.end.Met, Refused: x.end.Refused, Environment: x.spec.Environment, Limits: x.req.Limits,
		Datasets: x.datasets(), Stop: x.stop, Mask: x.maskText(),
	})
	if warnings != nil {
		x.result.Warnings = warnings
	}
	x.result.Observation = told
}

// datasets are the inputs as the sandbox described them: for a cell, when its
// session began.
func (x *execution) datasets() []cellwall.Dataset {
	if x.opened != nil {
		return x.opened.datasets
	}
	return x.result.Datasets
}
