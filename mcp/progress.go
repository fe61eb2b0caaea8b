package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress tells a client that asked for it that its call waits or runs.
type progress struct {
	running chan struct{}
	once    sync.Once
	cancel  context.CancelFunc
	done    chan struct{}
}

// report begins to tell. How long it takes nobody knows, so it says for how long it
// has: seconds, without a total.
func (s *Session) report(ctx context.Context, req *sdk.CallToolRequest) *progress {
	p := &progress{running: make(chan struct{}, 1), done: make(chan struct{}), cancel: func() {}}
	token := req.Params.GetProgressToken()
	if token == nil {
		close(p.done)
		return p
	}
	ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		beat := time.NewTicker(s.opts.Beat)
		defer beat.Stop()
		began, state, last := time.Now(), "waits", -1.0
		for {
			// It has to grow with each.
			now := max(time.Since(began).Seconds(), last+0.001)
			last = now
			if req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: now, Message: fmt.Sprintf("%s %s, %.0f s", req.Params.Name, state, now),
			}) != nil {
				return // nobody listens any more
			}
			select {
			case <-p.running:
				state = "runs"
			case <-beat.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

// runs says that the call has its turn.
func (p *progress) runs() { p.running <- struct{}{} }

// stop ends it. Nothing is told after it has returned, as the protocol wants.
func (p *progress) stop() {
	p.once.Do(p.cancel)
	<-p.done
}
