package artifact

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/cellwall/cellwall"
)

// Harvested is what a program left behind.
type Harvested struct {
	Artifacts []cellwall.Artifact        // the files of a folder by name, then those of its folders; never nil
	Skipped   []cellwall.SkippedArtifact // bounded; never nil
}

// Harvest takes the artifacts below fsys into sink. What it says about a file
// is always data; its error is the context's or the sink's, with what was
// taken until then.
func Harvest(ctx context.Context, fsys fs.FS, limits Limits, sink Sink) (Harvested, error) {
	return (&harvest{limits: limits.withDefaults(), fsys: fsys, sink: sink}).all(ctx)
}

// all walks the whole tree.
func (h *harvest) all(ctx context.Context) (Harvested, error) {
	err := h.directory(ctx, ".", 0)
	if h.unlisted > 0 {
		h.skipped = append(h.skipped, cellwall.SkippedArtifact{
			Name: "…", Reason: fmt.Sprintf("and %d more", h.unlisted),
		})
	}
	out := Harvested{Artifacts: h.artifacts, Skipped: h.skipped}
	if out.Artifacts == nil {
		out.Artifacts = []cellwall.Artifact{}
	}
	if out.Skipped == nil {
		out.Skipped = []cellwall.SkippedArtifact{}
	}
	if err != nil {
		return out, &cellwall.Error{Code: cellwall.CodeInternal, Op: "harvest artifacts", Err: err}
	}
	return out, nil
}

// maxSkipped bounds the list of refused files; the rest is a number.
const maxSkipped = 100

// harvest is one walk.
type harvest struct {
	limits  Limits
	fsys    fs.FS
	sink    Sink
	walk    *walk // passes over what was known before; nil = everything is new
	entries int   // looked at so far
	bytes   int64 // taken so far
	read    int64 // read so far, of refused files too

	artifacts []cellwall.Artifact
	skipped   []cellwall.SkippedArtifact
	unlisted  int
}

func (h *harvest) skip(name, reason string) {
	if h.walk.refused(name, reason) {
		return
	}
	if len(h.skipped) == maxSkipped {
		h.unlisted++
		return
	}
	h.skipped = append(h.skipped, cellwall.SkippedArtifact{Name: boundName(Escape(name)), Reason: reason})
}
