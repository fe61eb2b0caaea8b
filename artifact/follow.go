package artifact

import (
	"context"
	"io/fs"
	"sync"

	"github.com/cellwall/cellwall"
)

// Follower harvests one output directory again and again, while processes
// still write there, and takes each time what is new or changed.
type Follower struct {
	sink Sink

	mu   sync.Mutex
	past index
}

// Harvest takes what is new or changed since the last call into the sink,
// within the limits of a run; what is refused is listed once. A file counts as
// unchanged by its inode, size and time of change; one that was written just
// before the last call, by its content.
func (f *Follower) Harvest(ctx context.Context, fsys fs.FS, l cellwall.Limits) ([]cellwall.Artifact, []cellwall.SkippedArtifact, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := &harvest{limits: LimitsOf(l), fsys: fsys, sink: f.sink, walk: newWalk(f.past, false)}
	got, err := h.all(ctx)
	f.learn(h.walk, err)
	return got.Artifacts, got.Skipped, err
}

// Settle takes everything for known that lies below fsys now, and reads none of
// it.
func (f *Follower) Settle(ctx context.Context, fsys fs.FS) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := &harvest{fsys: fsys, walk: newWalk(f.past, true)}
	_, err := h.all(ctx)
	f.learn(h.walk, err)
	return err
}

// learn forgets the names that are gone. A walk that was broken off has not met
// all that it knows.
func (f *Follower) learn(w *walk, err error) {
	if err == nil {
		f.past = w.met
	}
}
