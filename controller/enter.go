package controller

import (
	"context"
	"errors"

	"github.com/cellwall/cellwall"
)

// Admission decides, for a service, what a request may have and when it may
// begin. Without one everything that is well formed begins at once.
type Admission interface {
	// Narrow fills what the request leaves open with its tenant's terms, and
	// refuses what is more than they allow. It is not asked about cells: the terms
	// of a session are decided when it begins.
	Narrow(*cellwall.Request) error
	// Enter waits for the request's turn. A stop is a budget that is reached; an
	// error refuses the request, with RetryAfter where another try helps. Unless
	// there is an error or a stop, the turn is left once.
	Enter(context.Context, cellwall.Request) (turn Turn, stop *cellwall.Stop, err error)
}

// Turn is an execution's leave to run.
type Turn struct {
	Precedence cellwall.Precedence
	Room       int64 // bytes that there are for the Result, about; 0 = as many as it has
	// Leave is called once, when the code has ended, with what is known of its Result,
	// nil when the fault is ours.
	Leave func(*cellwall.Result)
}

// narrow applies the terms of the tenant.
func (x *execution) narrow() error {
	if x.c.opts.Admission == nil || x.opened != nil {
		return nil
	}
	return x.c.opts.Admission.Narrow(&x.req)
}

// enter waits for the turn. Afterwards there is always one to leave.
func (x *execution) enter(ctx context.Context) error {
	x.turn.Leave = func(*cellwall.Result) {}
	if x.c.opts.Admission == nil || x.stop != nil || called(x.req) { // who called for it has a turn, and waits
		return nil
	}
	turn, stop, err := x.c.opts.Admission.Enter(ctx, x.req)
	switch {
	case err != nil:
		return err
	case stop != nil:
		x.stop = stop
	default:
		x.turn = turn
	}
	return nil
}

// refuse records a request that a service turned away, and returns why. A caller
// that went away while it waited is answered as cancelled, as during a run.
func (x *execution) refuse(ctx context.Context, err error) (*cellwall.Result, error) {
	if x.waits(ctx, err) {
		return nil, unsent(err)
	}
	if x.c.opts.Admission == nil { // the command line: whoever typed it reads it
		return nil, err
	}
	x.turnedAway(err)
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		x.result.Status, x.result.Cause, x.refusal = cellwall.StatusCancelled, cellwall.CauseCancelled, ""
		x.observe(ctx)
		return x.result, x.record(ctx, nil)
	}
	if failed := x.record(ctx, err); failed != nil {
		return nil, failed
	}
	return nil, err
}

// turnedAway makes the Result that of a request of which nothing ran, and why.
func (x *execution) turnedAway(err error) {
	x.result.Boundary = cellwall.Boundary{
		Backend: x.req.Backend, Environment: x.req.Environment, Network: "none", Degraded: []string{},
	}
	x.result.Status, x.result.Cause, x.refusal = cellwall.StatusRefused, cellwall.CausePolicy, cellwall.CodeOf(err)
}

// unfit is fail for what cannot be prepared: to name an environment that is not there
// is no failure of the service that is asked.
func (x *execution) unfit(ctx context.Context, err error) error {
	if x.c.opts.Admission == nil || x.gone(ctx) || cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing {
		return x.fail(ctx, err)
	}
	x.turnedAway(err)
	return err
}
