package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

// announce tells the caller's sink of each artifact that was taken. A sink that
// takes no more changes nothing: the run is over.
func (x *execution) announce(ctx context.Context) error {
	if x.sink == nil || len(x.result.Artifacts) == 0 {
		return nil
	}
	forward := newOutlet(ctx, x.sink, x.c.opts.SinkPatience)
	defer forward.close()
	for i, a := range x.result.Artifacts {
		raw, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("announce artifact: %w", err)
		}
		e := cellwall.Event{
			Seq: x.seen.last + uint64(i) + 1, At: time.Now(), Execution: x.result.ID, Kind: cellwall.EventArtifact, Data: raw,
		}
		if err := forward.hand(e); err != nil {
			x.c.opts.Logger.Warn("announce artifact", "execution", x.result.ID, "error", err)
			return nil
		}
	}
	return nil
}
