package controller

import "context"

// The stages, as Options.Trace hears of them. Execution is around all others;
// claim and run come twice when a sandbox was gone before the code reached it.
const (
	StageExecution = "execution"
	StageAdmit     = "admit"
	StageEnter     = "enter" // a service's: the wait for the turn
	StageCheck     = "check"
	StageContext   = "context"
	StageClaim     = "claim"
	StageRun       = "run"
	StageEnd       = "end"
	StageHarvest   = "harvest"
	StageObserve   = "observe"
	StageRecord    = "record"
	StageDestroy   = "destroy"
)

// Trace is told that a stage begins, and by what it returns that it has ended, and
// with which error of ours. The stage works in the ctx that it returns. It must not
// wait for anything.
type Trace func(ctx context.Context, stage string) (context.Context, func(error))

// stage begins one.
func (x *execution) stage(ctx context.Context, name string) (context.Context, func(error)) {
	if x.c.opts.Trace == nil {
		return ctx, untraced
	}
	return x.c.opts.Trace(ctx, name)
}

func untraced(error) {}

// traced is a stage that is one call.
func (x *execution) traced(ctx context.Context, name string, do func(context.Context) error) (err error) {
	ctx, done := x.stage(ctx, name)
	err = errPanicked // unless do returns
	defer func() { done(err) }()
	err = do(ctx)
	return err
}
