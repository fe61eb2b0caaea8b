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
//
// Readers that are woken together look into the book together.
func (b *Bus) Next(ctx context.Context, tenant string, after uint64, n int) ([]cellwall.Happening, error) {
	for {
		r := b.watch(tenant) // before looking, so that nothing slips between
		list, err := b.read(ctx, r, place{tenant, after, n})
		if err != nil || len(list) > 0 {
			return list, err
		}
		polled, err := wait(ctx, b.opts.Poll, r.over)
		if err != nil {
			return nil, err
		}
		if polled {
			b.turn(tenant, r)
		}
	}
}

// round is the time between two events of a tenant, for those who wait: until one was
// kept, or somebody's time to look anyway has come.
type round struct {
	over  chan struct{}
	looks map[place]*glance // that are under way
}

// place is where a reader stands.
type place struct {
	tenant string
	after  uint64
	n      int
}

// glance is what one look into the book found, for all who stand at its place.
type glance struct {
	done chan struct{}
	list []cellwall.Happening
	err  error
}

// watch returns the round that is.
func (b *Bus) watch(tenant string) *round {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.waiting[tenant]
	if r == nil {
		r = &round{over: make(chan struct{}), looks: map[place]*glance{}}
		b.waiting[tenant] = r
	}
	return r
}

// turn ends a round that has not ended, so that everybody looks at once.
func (b *Bus) turn(tenant string, r *round) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[tenant] == r {
		close(r.over)
		delete(b.waiting, tenant)
	}
}

// read looks into the book, or waits for who does already: in the same round, which an
// event ends that is kept after the look.
func (b *Bus) read(ctx context.Context, r *round, at place) ([]cellwall.Happening, error) {
	b.mu.Lock()
	g := r.looks[at]
	if g != nil {
		b.mu.Unlock()
		select {
		case <-g.done:
			return g.list, g.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	g = &glance{done: make(chan struct{})}
	r.looks[at] = g
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(r.looks, at)
		b.mu.Unlock()
		close(g.done)
	}()
	g.list, g.err = b.opts.Book.Events(context.WithoutCancel(ctx), at.tenant, at.after, at.n) // the others do not leave with this one
	return g.list, g.err
}

// wait returns when something came, or it is time to look anyway.
func wait(ctx context.Context, most time.Duration, came <-chan struct{}) (timed bool, err error) {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-came:
	case <-t.C:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return false, nil
}
