package api

import (
	"context"
	"fmt"
	"sync"

	"github.com/cellwall/cellwall"
)

// errStops is why work ends with the server: what was kept and not sent yet waits for
// the next one.
var errStops = fmt.Errorf("%w: the service stops: %w", context.Canceled, cellwall.ErrNotSent)

// detached is work that outlives the call that began it.
type detached struct {
	stopped context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
}

func newDetached() *detached {
	d := &detached{}
	d.stopped, d.stop = context.WithCancel(context.Background())
	return d
}

// detach runs do with the values of ctx, until it ends or the server is closed.
func (s *Server) detach(ctx context.Context, do func(context.Context)) {
	s.apart.running.Go(func() {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(s.apart.stopped, func() { cancel(errStops) })()
		_ = s.caught(callID(ctx), func() error { do(ctx); return nil }) // it is logged
	})
}

// Wait returns when no work goes on that calls left behind, or ctx ends.
func (s *Server) Wait(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		s.apart.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
