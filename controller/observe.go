package controller

import "github.com/cellwall/cellwall"

// Evidence is everything that is known when an execution is put into words.
type Evidence struct {
	Request     cellwall.Request
	Result      *cellwall.Result
	Tables      []cellwall.TableInScope // the code could see when it failed
	Notices     []cellwall.Notice
	Met         []cellwall.Cause // every limit that was met, by the kernel's word
	Refused     []cellwall.Refusal
	Environment cellwall.Environment
	Limits      cellwall.Limits
}

// observer puts evidence into words: warnings, and what the model is told. It
// does not change the Result.
type observer interface {
	Observe(Evidence) (warnings []string, told cellwall.Observation)
}

func (x *execution) observe() {
	warnings, told := x.c.opts.Observer.Observe(Evidence{
		Request: x.req, Result: x.result, Tables: x.seen.tables, Notices: x.seen.notices,
		Met: x.end.Met, Refused: x.end.Refused, Environment: x.spec.Environment, Limits: x.req.Limits,
	})
	if warnings != nil {
		x.result.Warnings = warnings
	}
	x.result.Observation = told
}
