package notify

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// Events lists up to n events of a tenant behind after, oldest first.
func (b *Bus) Events(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	return b.opts.Book.Events(ctx, tenant, after, n)
}

// Next waits until there are events of a tenant behind after, and returns up to
// n of them, oldest first. Events that another process keeps are seen within
// Options.Poll.
func (b *Bus) Next(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	for {
		came := b.watch(tenant) // before looking, so that nothing slips between
		list, err := b.opts.Book.Events(ctx, tenant, after, n)
		if err != nil || len(list) > 0 {
			return list, err
		}
		if err := wait(ctx, b.opts.Poll, came); err != nil {
			return nil, err
		}
	}
}

// watch returns a channel that is closed when an event of the tenant was kept.
func (b *Bus) watch(tenant string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.waiting[tenant]
	if c == nil {
		c = make(chan struct{})
		b.waiting[tenant] = c
	}
	return c
}

// wait returns when something came or it is time to look anyway.
func wait(ctx context.Context, most time.Duration, came <-chan struct{}) error {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-came:
	case <-t.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
