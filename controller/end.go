package controller

import (
	"context"

	"github.com/cellwall/cellwall"
)

// ended fills the Result with how the run ended. The kernel's evidence, as the
// backend reports it, decides; what the code said about itself is carried
// beside it. A caller that is gone outranks everything.
func (x *execution) ended(ctx context.Context) {
	_, done := x.stage(ctx, StageEnd)
	defer done(nil)
	r := x.result
	startup := r.Usage.StartupMS
	r.Status, r.Cause, r.Usage = x.end.Status, x.end.Cause, x.end.Usage
	r.Usage.StartupMS, r.Restored = startup, x.end.Restored
	if x.gone(ctx) {
		r.Status, r.Cause = cellwall.StatusCancelled, cellwall.CauseCancelled
	}
	r.OK = r.Status == cellwall.StatusOK
	r.Stdout, r.Stderr = x.seen.stdout.output(), x.seen.stderr.output()
	if x.seen.results != nil {
		r.Results = x.seen.results
	}
	if r.OK {
		x.noteLimit(r.Cause)
		for _, also := range x.end.Met {
			if also != r.Cause {
				x.noteLimit(also)
			}
		}
		r.Cause = cellwall.CauseNone
		return
	}
	r.Error = x.seen.failure
}

// noteLimit turns a limit that was met by code which ended ok into a notice.
// A backend reports it as the cause of an ok end.
func (x *execution) noteLimit(cause cellwall.Cause) {
	limit := map[cellwall.Cause]string{
		cellwall.CauseOOM: "memory", cellwall.CauseProcesses: "processes",
		cellwall.CauseDisk: "disk", cellwall.CauseOutput: "output",
	}[cause]
	if limit != "" {
		x.seen.note("limit_met", "limit", limit)
	}
}
