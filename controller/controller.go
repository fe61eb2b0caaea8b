package controller

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/cellwall/cellwall"
)

// Options wire a controller. Pools, Environments, MergeDatasets, Harvester,
// Observe and Recorder are required.
type Options struct {
	Pools        map[string]Sandboxes // by backend name
	Backend      string               // default backend
	Environments environments
	Environment  string // default environment
	Harvester    harvester
	Recorder     recorder
	Follow       func() Follower // makes the harvester of one session; nil = no sessions
	Logs         string          // directory for whole output logs; "" = they are not kept
	Logger       *slog.Logger    // nil = silent

	// Prepared knows datasets that were parsed ahead, by backend name. Without it
	// each is parsed in its sandbox.
	Prepared map[string]Prepared

	Admission Admission // of a service; nil = everybody begins at once

	// Trace is told of each stage of each execution. Nil = nobody hears.
	Trace Trace

	// Check is asked after our own checks, when a sandbox could still be spared.
	// Nil = there is no profile strict.
	Check Checker

	// Restrict returns what the interpreter keeps from the code of a request while it
	// runs, nil = nothing. Nil = from nobody's.
	Restrict func(cellwall.Request, cellwall.Environment) *cellwall.Restriction

	// Mask returns what masks personal data for one execution of this caller; nil when
	// that is told everything. Option nil = everybody is.
	Mask func(cellwall.Identity) Masking

	// MergeDatasets joins what the sandbox said about the inputs, raw and hostile,
	// with what is known of them, in their order.
	MergeDatasets func(raw []byte, inputs []cellwall.InputFact) ([]cellwall.Dataset, error)
	// Observe puts evidence into words: warnings, and what the model is told. It
	// does not change the Result.
	Observe func(cellwall.Evidence) (warnings []string, told cellwall.Observation)

	// SinkPatience is how long a sink may take for one event before its run is
	// cancelled; 0 = 30 seconds.
	SinkPatience time.Duration
}

// Controller runs executions. It is safe for concurrent use.
type Controller struct{ opts Options }

// New returns a controller. It fails when a required option is missing.
func New(opts Options) (*Controller, error) {
	switch {
	case len(opts.Pools) == 0, opts.Pools[opts.Backend] == nil:
		return nil, errors.New("make controller: no pool for the default backend")
	case opts.Environments == nil, opts.MergeDatasets == nil, opts.Harvester == nil, opts.Observe == nil, opts.Recorder == nil:
		return nil, errors.New("make controller: a stage is not wired")
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.SinkPatience <= 0 {
		opts.SinkPatience = defaultSinkPatience
	}
	return &Controller{opts: opts}, nil
}

// Run executes one request and returns when its Result, artifacts and record
// exist.
func (c *Controller) Run(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	return c.Stream(ctx, req, nil)
}

// Stream is Run that also delivers the events, in order, while they happen, and
// at last one for each artifact that was taken.
// A slow sink slows the program down, which has its timeout all the same. An
// error of the sink ends the run as cancelled, and so does an event for which
// it takes longer than Options.SinkPatience: Stream then returns although the
// sink has not, and the sink hears no more.
func (c *Controller) Stream(ctx context.Context, req cellwall.Request, sink cellwall.Sink) (*cellwall.Result, error) {
	return c.execute(ctx, &execution{c: c, req: req, sink: sink})
}

// Describe parses the request's datasets inside a sandbox and runs no code.
// The descriptions are in Result.Datasets; a file that cannot be parsed is a
// Result with status error.
func (c *Controller) Describe(ctx context.Context, req cellwall.Request) (*cellwall.Result, error) {
	return c.execute(ctx, &execution{c: c, req: req, describe: true})
}

// execution is one request on its way through the stages.
type execution struct {
	c        *Controller
	req      cellwall.Request
	sink     cellwall.Sink
	describe bool

	begins string         // id of the session that this one begins, see Open
	state  io.Reader      // of another session, with which it begins; nil = its datasets
	opened *Opened        // in which this one is a cell
	count  int            // of the cell
	stop   *cellwall.Stop // the budget that forbids the cell
	kept   bool           // the sandbox outlives this execution

	turn    Turn
	started bool               // Request.Begin has let the code be sent
	refusal cellwall.ErrorCode // why the request was turned away

	began   time.Time
	source  string // the code without a byte order mark
	spec    cellwall.Spec
	pool    Sandboxes
	sandbox cellwall.Sandbox
	bound   time.Time // when the sandbox began to be told whom it serves
	digests *digests
	seen    *collector
	notes   []cellwall.Notice // our own, beside those of seen
	end     cellwall.End
	result  *cellwall.Result
	masking Masking // nil = nothing is masked
	desk    *desk   // answers calls; nil = nothing can be called
}

func (c *Controller) execute(ctx context.Context, x *execution) (_ *cellwall.Result, err error) {
	ctx, done := x.stage(ctx, StageExecution)
	defer func() { done(err) }()
	x.begin()
	if err := x.traced(ctx, StageAdmit, func(context.Context) error { return x.admit() }); err != nil {
		return x.refuse(ctx, err)
	}
	if err := x.traced(ctx, StageEnter, x.enter); err != nil {
		return x.refuse(ctx, err)
	}
	defer x.destroy(ctx)
	failure := x.worked(ctx)
	if errors.Is(failure, cellwall.ErrNotSent) {
		return nil, failure
	}
	if failure == nil {
		x.observe(ctx)
	}
	if err := x.record(ctx, failure); err != nil {
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	x.keep()
	return x.result, nil
}

// work is everything between the turn and its end.
func (x *execution) work(ctx context.Context) error {
	var counted *cellwall.Result
	defer func() { x.turn.Leave(counted) }()
	var pass bool
	err := x.traced(ctx, StageCheck, func(ctx context.Context) (err error) {
		pass, err = x.check(ctx)
		return err
	})
	if err != nil {
		return x.unfit(ctx, err)
	}
	if pass {
		err = x.inside(ctx)
	}
	if err == nil {
		counted = x.result
	}
	return err
}

// inside is everything that needs a sandbox.
func (x *execution) inside(ctx context.Context) error {
	if err := x.traced(ctx, StageContext, func(context.Context) error { return x.context() }); err != nil {
		return x.unfit(ctx, err)
	}
	defer x.digests.done() // the caller may close the inputs when we return
	defer func() { x.desk.finish() }()
	err := x.serve(ctx)
	if errors.Is(err, cellwall.ErrSandboxGone) && x.opened == nil && x.state == nil && !x.gone(ctx) {
		x.c.opts.Logger.Warn("run again in another sandbox", "execution", x.result.ID, "error", err)
		x.destroy(ctx)
		err = x.serve(ctx)
	}
	if err != nil {
		return x.fail(ctx, err)
	}
	x.parsed()
	x.ended(ctx)
	if err := x.traced(ctx, StageHarvest, x.harvest); err != nil {
		return x.fail(ctx, err)
	}
	x.withhold()
	return x.announce(ctx)
}

// serve claims a sandbox and runs the code in it.
func (x *execution) serve(ctx context.Context) error {
	if x.opened != nil { // a cell has one
		return x.traced(ctx, StageRun, x.run)
	}
	if err := x.traced(ctx, StageClaim, x.claim); err != nil {
		return err
	}
	return x.traced(ctx, StageRun, x.run)
}

// fail decides what an error of a stage means: a cancelled Result when the
// caller went away, else our own failure.
func (x *execution) fail(ctx context.Context, err error) error {
	if x.waits(ctx, err) {
		return unsent(err)
	}
	if x.gone(ctx) {
		x.ended(ctx)
		return nil
	}
	x.result.Status, x.result.Cause = cellwall.StatusInternalError, cellwall.CauseInternal
	return err
}

// gone reports whether the caller went away: its context ended, or its sink
// takes no more events.
func (x *execution) gone(ctx context.Context) bool { return ctx.Err() != nil || x.seen.stopped != nil }

// begin makes the empty Result. Lists are never null in JSON.
func (x *execution) begin() {
	x.began = time.Now()
	x.seen = &collector{}
	x.result = &cellwall.Result{
		ID:        cmp.Or(x.req.ID, cellwall.NewID(cellwall.PrefixExecution)),
		Findings:  []cellwall.Finding{},
		Results:   []cellwall.Rich{},
		Artifacts: []cellwall.Artifact{}, SkippedArtifacts: []cellwall.SkippedArtifact{},
		Warnings: []string{},
	}
	if x.c.opts.Mask != nil && !called(x.req) {
		x.masking = x.c.opts.Mask(x.req.Identity)
	}
	switch {
	case x.begins != "":
		x.result.SessionID = &x.begins
	case x.opened != nil:
		x.result.SessionID = &x.opened.id
	}
}
