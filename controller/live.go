package controller

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/cellwall/cellwall"
)

// Follower takes artifacts out of one output directory again and again, while
// processes of the sandbox still write there.
type Follower interface {
	// Harvest takes what is new or changed since the last call.
	Harvest(context.Context, fs.FS, cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error)
	// Settle takes everything as it is now for known: a rollback put it there.
	Settle(context.Context, fs.FS) error
}

// harvestLive takes what a cell left. Files that went back with a killed cell
// are no news, and nobody waits for those of a cancelled one.
func (x *execution) harvestLive(ctx context.Context) error {
	o, back := x.opened, x.end.Restored
	if back != nil && back.Files {
		o.settle(ctx)
		return nil
	}
	if x.result.Status == cellwall.StatusCancelled {
		return nil
	}
	output, err := o.output(ctx, back)
	if err != nil {
		return fmt.Errorf("harvest artifacts: %w", err)
	}
	taken, skipped, err := o.follower.Harvest(ctx, x.maskTree(output), x.spec.Limits)
	if err != nil {
		return err
	}
	x.result.Artifacts = append(x.result.Artifacts, taken...)
	x.result.SkippedArtifacts = append(x.result.SkippedArtifacts, skipped...)
	return nil
}

// output is the directory of the cells: with their processes, or behind the
// last one when the session is over.
func (o *Opened) output(ctx context.Context, back *cellwall.Restored) (fs.FS, error) {
	if back != nil && back.Checkpoint == "" {
		return o.sandbox.Harvest(ctx)
	}
	return o.sandbox.Workspace()
}

// Settle takes every file of the workspace for known: somebody put it there who is
// no cell, and the next one does not deliver it.
func (o *Opened) Settle(ctx context.Context) { o.settle(ctx) }

// settle lets the follower know what a rollback put there. When it cannot, the
// next cell delivers more than it made, and nothing is lost.
func (o *Opened) settle(ctx context.Context) {
	output, err := o.sandbox.Workspace()
	if err == nil {
		err = o.follower.Settle(context.WithoutCancel(ctx), output)
	}
	if err != nil {
		o.c.opts.Logger.Warn("look at restored files", "session", o.id, "error", err)
	}
}
