package controller

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/cellwall/cellwall"
)

// harvester takes artifacts out of an output directory whose names and
// contents are hostile.
type harvester interface {
	Harvest(context.Context, fs.FS, cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error)
}

// harvest takes the artifacts and the descriptions of the datasets. Nobody
// waits for those of a cancelled run.
func (x *execution) harvest(ctx context.Context) error {
	if x.opened != nil {
		return x.harvestLive(ctx)
	}
	if x.result.Status == cellwall.StatusCancelled {
		return nil
	}
	if err := x.mergeDatasets(); err != nil {
		return err
	}
	if x.begins != "" { // nothing of the user's has run
		return nil
	}
	output, err := x.sandbox.Harvest(ctx)
	if err != nil {
		return fmt.Errorf("harvest artifacts: %w", err)
	}
	taken, skipped, err := x.c.opts.Harvester.Harvest(ctx, x.maskTree(output), x.spec.Limits)
	if err != nil {
		return err
	}
	x.result.Artifacts = append(x.result.Artifacts, taken...)
	x.result.SkippedArtifacts = append(x.result.SkippedArtifacts, skipped...)
	return nil
}

func (x *execution) mergeDatasets() error {
	if x.seen.datasets == nil {
		return nil
	}
	facts, err := x.digests.wait()
	if err != nil {
		return err
	}
	described, err := x.c.opts.MergeDatasets(x.seen.datasets, facts)
	if err != nil {
		// A forged or broken description is the code's doing, not ours.
		x.c.opts.Logger.Warn("read description of datasets", "execution", x.result.ID, "error", err)
		return nil
	}
	x.result.Datasets = described
	return nil
}
