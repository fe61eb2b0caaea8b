package artifact

import (
	"context"
	"io/fs"

	"github.com/cellwall/cellwall"
)

// Taker takes what executions leave into one sink.
type Taker struct{ Sink Sink }

// Harvest takes the artifacts below fsys, within the limits of a run. See
// [Harvest].
func (t Taker) Harvest(ctx context.Context, fsys fs.FS, l cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error) {
	got, err := Harvest(ctx, fsys, LimitsOf(l), t.Sink)
	return got.Artifacts, got.Skipped, err
}

// Follow returns a Follower for a directory of which nothing is known.
func (t Taker) Follow() *Follower { return &Follower{sink: t.Sink} }

// Harvest takes artifacts into the store, as [Taker] does.
func (s *Store) Harvest(ctx context.Context, fsys fs.FS, l cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error) {
	return Taker{s}.Harvest(ctx, fsys, l)
}

// Follow returns a Follower that takes into the store.
func (s *Store) Follow() *Follower { return Taker{s}.Follow() }
